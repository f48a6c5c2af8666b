// What the caller of a figure marks in it: points and bars that stand out, and places without any.
#include <algorithm>
#include <cmath>

#include "ui/plot/plot_state.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

/// A value as its caller gave it: SeriesData may hold a sorted copy.
double x_of(const Series& series, std::size_t i) {
    return series.x.empty() || series.y_array ? static_cast<double>(i) : series.x[i];
}

bool has(const Series& series, std::size_t i) {
    if (series.y_array) return i < series.y_array->count();
    return i < series.y.size() && (series.x.empty() || i < series.x.size());
}

/// Inside the bar. Two lines beside each other, one of which shows on every colour.
void frame_bar(const FigurePaint& paint, const PlotRing& ring, double x, double top) {
    const Theme& t = theme();
    const BarSlot slot = bar_slot(paint, ring.series);
    const double foot = paint.figure.y.scale == AxisScale::linear ? 0 : paint.area.y.low;
    const PlotArea& area = paint.area;
    const Rect bar = area.corners(area.along_x(x - slot.width / 2), area.along_x(x + slot.width / 2),
                                  area.along_y(foot), area.along_y(top));
    float inset = 0;
    for (const bool outer : {true, false}) {
        const float thick = std::max(1.0F, std::round(t.px(outer && ring.strong ? 3 : 1)));
        const float in = inset + std::floor(thick / 2);  // ImGui adds half a pixel itself
        paint.list->AddRect({std::round(bar.min.x) + in, std::round(bar.min.y) + in},
                            {std::round(bar.max.x) - in, std::round(bar.max.y) - in},
                            shown(outer ? t.palette().text : t.palette().ground), 0, 0, thick);
        inset += thick;
    }
}

}  // namespace

void draw_rings(const FigurePaint& paint) {
    if (paint.view.rings.empty()) return;
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const float reach = t.px(6);  // a point on the edge keeps its ring
    paint.list->PushClipRect({area.min.x - reach, area.min.y - reach},
                             {area.max.x + reach, area.max.y + reach}, true);
    for (const PlotRing& ring : paint.view.rings) {
        if (ring.series >= paint.figure.series.size() || paint.hidden(ring.series)) continue;
        const Series& series = paint.figure.series[ring.series];
        if (series.mark == Mark::stacked_bars || !has(series, ring.index)) continue;
        const bool bars = is_bar(series.mark);
        const double value = series.y_array ? series.y_array->number(ring.index) : series.y[ring.index];
        const double x = to_axis(paint.figure.x.scale, x_of(series, ring.index)) +
                         (bars ? bar_slot(paint, ring.series).offset : 0);
        const double y = to_axis(paint.figure.y.scale, value);
        if (std::isnan(x) || std::isnan(y)) continue;
        if (bars)
            frame_bar(paint, ring, x, y);
        else
            paint.list->AddCircle(area.at(x, y), t.px(ring.strong ? 8 : 6), shown(t.palette().text), 0,
                                  t.px(ring.strong ? 2 : 1));
    }
    paint.list->PopClipRect();
}

Rect cross_corners(const PlotArea& area, double axis_x) {
    const glm::vec2 size = text_size(Type::note, "✗");
    const float along = area.along_x(axis_x);
    const glm::vec2 at = area.horizontal ? glm::vec2(area.min.x, std::round(along - size.y / 2))
                                         : glm::vec2(std::round(along - size.x / 2), area.max.y - size.y);
    return {at, {at.x + size.x, at.y + size.y}};
}

void draw_crosses(const FigurePaint& paint) {
    for (const double value : paint.view.crosses) {
        const double x = to_axis(paint.figure.x.scale, value);
        if (!(x >= paint.area.x.low && x <= paint.area.x.high)) continue;
        draw_text(paint.list, Type::note, cross_corners(paint.area, x).min, theme().as_text(Ink::wrong), "✗");
    }
}

}  // namespace gridstride::ui

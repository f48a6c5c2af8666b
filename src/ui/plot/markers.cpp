// What is marked in a figure: places worth naming, by lines across it, and, by its caller, points and bars
// that stand out and places without any.
#include <algorithm>
#include <cmath>

#include "ui/plot/plot_state.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

struct Place {
    std::size_t marker = 0;
    float at = 0;  ///< along x, on the screen
};

/// Those that the axes show, from left to right, so that labels are placed in the order in which they stand.
std::vector<Place> places(const FigurePaint& paint) {
    const PlotArea& area = paint.area;
    std::vector<Place> all;
    for (std::size_t m = 0; m < paint.figure.markers.size(); ++m) {
        const double x = to_axis(paint.figure.x.scale, paint.figure.markers[m].x);
        if (x >= area.x.low && x <= area.x.high) all.push_back({m, std::round(area.along_x(x))});
    }
    std::ranges::stable_sort(all, {}, &Place::at);
    return all;
}

float label_line() {
    return theme().font(Type::note)->FontSize + theme().px(4);
}

/// A label of a figure whose x runs to the right.
struct PlacedLabel {
    std::string text;
    float x = 0, width = 0;
    std::size_t row = 0;  ///< from the top
};
std::vector<PlacedLabel> placed_labels(const FigurePaint& paint) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const float air = t.px(6);
    std::vector<PlacedLabel> all;
    std::vector<float> row_ends;
    for (const Place& place : places(paint)) {
        const std::string& full = paint.figure.markers[place.marker].label;
        if (full.empty()) continue;
        PlacedLabel label{elide(Type::note, full, area.width() - 2 * air)};
        label.width = text_size(Type::note, label.text).x;
        if (label.width > area.width() - 2 * air) continue;  // not even an ellipsis has room
        // At the right of its line, or at the left where the plot ends; always inside the data, so that it
        // meets no number of an axis.
        label.x = place.at + air;
        if (label.x + label.width > area.max.x - t.px(3)) label.x = place.at - air - label.width;
        label.x = std::max(label.x, area.min.x + t.px(3));
        while (label.row < row_ends.size() && row_ends[label.row] > label.x - t.px(8))
            ++label.row;
        if (label.row == row_ends.size()) row_ends.push_back(0);
        row_ends[label.row] = label.x + label.width;
        all.push_back(std::move(label));
    }
    return all;
}

/// On a ground of its own: curves and bars run behind it.
void put_label(const FigurePaint& paint, glm::vec2 position, float width, const std::string& label) {
    const Theme& t = theme();
    const float height = t.font(Type::note)->FontSize;
    const glm::vec2 air(t.px(3), t.px(1));
    paint.list->AddRectFilled(position - air, position + glm::vec2(width, height) + air,
                              with_alpha(t.palette().ground, 0.85f), t.px(3));
    put_text(paint.list, Type::note, position, t.palette().text, label);
}

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
    const Rect bar =
        bar_corners(paint, bar_slot(paint, ring.series), x, paint.along_value(0), paint.area.along_y(top));
    float inset = 0;
    for (const bool outer : {true, false}) {
        const float thick = std::max(1.0F, std::round(t.px(outer && ring.strong ? 3 : 1)));
        const float in = inset + std::floor(thick / 2);  // ImGui adds half a pixel itself
        paint.list->AddRect(bar.min + in, bar.max - in, shown(outer ? t.palette().text : t.palette().ground),
                            0, 0, thick);
        inset += thick;
    }
}

}  // namespace

void draw_marker_lines(const FigurePaint& paint) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const float thick = std::max(1.0f, std::floor(t.scale())), dash = t.px(4), gap = t.px(3);
    RectBatch batch(paint.list);
    // Dashed, as no line of the grid and of the data is.
    for (const Place& place : places(paint)) {
        const float from = area.horizontal ? area.min.x : area.min.y;
        const float to = area.horizontal ? area.max.x : area.max.y;
        for (float at = from; at < to; at += dash + gap) {
            const float end = std::min(at + dash, to);
            const Rect c = area.corners(place.at, place.at + thick, at, end);
            batch.add(c.min, c.max, t.palette().quiet);
        }
    }
}

float marker_label_space(const FigurePaint& paint) {
    if (paint.area.horizontal || paint.figure.markers.empty()) return 0;
    std::size_t rows = 0;
    for (const PlacedLabel& label : placed_labels(paint))
        rows = std::max(rows, label.row + 1);
    // Many labels close together are not worth half of the plot.
    return std::min(static_cast<float>(rows) * label_line(), paint.area.height() * 0.3f);
}

void draw_marker_labels(const FigurePaint& paint) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const float height = t.font(Type::note)->FontSize, line = label_line();
    if (!area.horizontal) {
        for (const PlacedLabel& label : placed_labels(paint)) {
            const float y = area.min.y + t.px(2) + static_cast<float>(label.row) * line;
            if (y + height > area.max.y) continue;  // the readout names it
            put_label(paint, glm::vec2(std::round(label.x), std::round(y)), label.width, label.text);
        }
        return;
    }
    // Over its line at the right end; under it where the plot's upper edge is too close.
    float free_from = -1e9f;
    for (const Place& place : places(paint)) {
        const std::string label =
            elide(Type::note, paint.figure.markers[place.marker].label, area.width() - t.px(12));
        const float width = text_size(Type::note, label).x;
        float y = place.at - line;
        if (y < area.min.y) y = place.at + t.px(4);
        if (width > area.width() - t.px(12) || y + height > area.max.y || y < free_from) continue;
        free_from = y + line;
        put_label(paint, glm::vec2(std::round(area.max.x - t.px(6) - width), std::round(y)), width, label);
    }
}

std::optional<std::size_t> find_marker(const FigurePaint& paint, glm::vec2 mouse) {
    const float at = paint.area.horizontal ? mouse.y : mouse.x;
    float nearest = theme().px(5);
    std::optional<std::size_t> found;
    for (const Place& place : places(paint))
        if (const float distance = std::fabs(place.at - at); distance <= nearest) {
            nearest = distance;
            found = place.marker;
        }
    return found;
}

void draw_rings(const FigurePaint& paint) {
    if (paint.view.rings.empty()) return;
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const float reach = t.px(6);  // a point on the edge keeps its ring
    paint.list->PushClipRect(area.min - reach, area.max + reach, true);
    for (const PlotRing& ring : paint.view.rings) {
        if (ring.series >= paint.figure.series.size() || paint.hidden(ring.series)) continue;
        const Series& series = paint.figure.series[ring.series];
        if (series.mark == Mark::stacked_bars || !has(series, ring.index)) continue;
        const double value = series.y_array ? series.y_array->number(ring.index) : series.y[ring.index];
        const double x = to_axis(paint.figure.x.scale, x_of(series, ring.index));
        const double y = to_axis(paint.figure.y.scale, value);
        if (std::isnan(x) || std::isnan(y)) continue;
        if (is_bar(series.mark))
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
    return {at, at + size};
}

void draw_crosses(const FigurePaint& paint) {
    for (const double value : paint.view.crosses) {
        const double x = to_axis(paint.figure.x.scale, value);
        if (!(x >= paint.area.x.low && x <= paint.area.x.high)) continue;
        draw_text(paint.list, Type::note, cross_corners(paint.area, x).min, theme().as_text(Ink::wrong), "✗");
    }
}

}  // namespace gridstride::ui

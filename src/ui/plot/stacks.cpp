#include <algorithm>
#include <cmath>

#include "ui/plot/plot_state.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

struct Segment {
    std::size_t series = 0;
    Rect corners;
};

std::string segment_label(const FigurePaint& paint, std::size_t s, const std::string& number) {
    const std::string& label = paint.figure.series[s].label;
    return label.empty() ? number : label + " " + number;
}

/// Labels the segment inside: its number, and its name if it fits. The legend and the readout have the other
/// names; a row's single segment is named beside it.
bool draw_label_inside(const FigurePaint& paint, const Segment& segment, const std::string& number,
                       bool is_only) {
    const Theme& t = theme();
    const Rect& c = segment.corners;
    const float height = t.font_size(TextStyle::note), room = c.width() - t.px(12);
    const bool horizontal = paint.area.is_horizontal;
    std::string label = horizontal ? segment_label(paint, segment.series, number) : number;
    if (!is_only && text_size(TextStyle::note, label).x > room) label = number;
    const float width = text_size(TextStyle::note, label).x;
    if (c.height() < height || width > room) return false;
    const glm::vec2 at(horizontal ? c.min.x + t.px(8) : (c.min.x + c.max.x - width) / 2,
                       (c.min.y + c.max.y - height) / 2);
    draw_plot_text(paint.list, TextStyle::note, glm::round(at), t.text_on(paint.state.colors[segment.series]),
                   label);
    return true;
}

/// Labels a stack beside its end if no label fitted inside: with its single segment's name and number, or its
/// total.
void draw_label_beside(const FigurePaint& paint, const std::vector<Segment>& segments, std::size_t i) {
    const Theme& t = theme();
    double total = 0;
    for (const Segment& segment : segments)
        total += paint.state.data[segment.series].y(i);
    std::string label = unit_value_text(paint.y_unit(), total);
    if (segments.size() == 1) label = segment_label(paint, segments.front().series, label);
    const Rect last = segments.back().corners;
    const float height = t.font_size(TextStyle::note);
    if (last.height() < height * 0.8f) return;
    draw_plot_text(paint.list, TextStyle::note,
                   glm::vec2(last.max.x + t.px(8), std::round((last.min.y + last.max.y - height) / 2)),
                   t.palette().text, label);
}

}  // namespace

void draw_stacks(const FigurePaint& paint) {
    auto all = paint.visible_series(Mark::stacked_bars);
    const PlotArea& area = paint.area;
    const auto longest =
        std::ranges::max_element(all, {}, [&](std::size_t s) { return paint.state.data[s].size(); });
    if (longest == all.end()) return;
    const SeriesData& positions = paint.state.data[*longest];
    const BarSlot slot = bar_slot(paint, *longest);
    const AxisUnit unit = paint.y_unit();
    const SampleRange visible = visible_bars(paint, *longest, slot);
    std::vector<Segment> segments;
    float last_pixel = -1e9f;  // along x; of the stacks that share a pixel, the first is drawn
    for (std::size_t i = visible.begin; i < visible.end; ++i) {
        const Rect whole = bar_rect(paint, slot, positions.axis_x(i), 0, 0);
        const float x0 = area.is_horizontal ? whole.min.y : whole.min.x;
        const float x1 = area.is_horizontal ? whole.max.y : whole.max.x;
        if (x1 <= last_pixel) continue;
        last_pixel = x1;
        const float gap = x1 - x0 >= theme().px(6) ? std::max(1.0f, std::floor(theme().px(1))) : 0;
        segments.clear();
        for (const std::size_t s : all) {
            const SeriesData& data = paint.state.data[s];
            if (i >= data.size() || !data.is_valid(i) || data.y(i) == 0) continue;
            const double below = stack_base(paint, s, i);
            const float y0 = std::round(paint.along_value(below));
            float y1 = std::round(paint.along_value(below + data.y(i)));
            const float towards = y1 >= y0 ? 1.0f : -1.0f;
            if (std::fabs(y1 - y0) > 2 * gap) y1 -= towards * gap;
            // Every part that took time is visible, such as the CPU's beside a long wait.
            if (std::fabs(y1 - y0) < std::max(1.0f, gap)) y1 = y0 + towards * std::max(1.0f, theme().px(2));
            const Rect c = area.corners(x0, x1, y0, y1);
            const float radius = std::min(c.width(), c.height()) >= theme().px(8) ? theme().px(2) : 0;
            paint.list->AddRectFilled(c.min, c.max, paint.color(s, i, 0.2f), radius);
            segments.push_back({s, c});
        }
        if (!paint.figure.value_labels || paint.is_small) continue;
        bool labelled = false;
        for (const Segment& segment : segments) {
            const double value = paint.state.data[segment.series].y(i);
            // Horizontal stacks have no value axis that names the unit.
            const std::string number =
                area.is_horizontal ? unit_value_text(unit, value) : short_value_text(unit, value);
            labelled |= draw_label_inside(paint, segment, number, segments.size() == 1);
        }
        if (area.is_horizontal && !segments.empty() && !labelled) draw_label_beside(paint, segments, i);
    }
}

}  // namespace gridstride::ui

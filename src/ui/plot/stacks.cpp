// Stacked bars: where the time goes.
#include <algorithm>
#include <cmath>

#include "ui/plot/plot_state.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

struct Segment {
    std::size_t series = 0;
    Rect corners;
    bool labelled = false;
};

std::string segment_label(const FigurePaint& paint, std::size_t s, const std::string& number) {
    const std::string& label = paint.figure.series[s].label;
    return label.empty() ? number : label + " " + number;
}

/// Inside the segment: name and number where both fit, else nothing; the legend and the readout name the
/// rest.
bool label_inside(const FigurePaint& paint, const Segment& segment, const std::string& number) {
    const Theme& t = theme();
    const glm::vec2 min = segment.corners.min, max = segment.corners.max;
    const float height = t.font(Type::note)->FontSize;
    if (max.y - min.y < height) return false;
    const float room = max.x - min.x - t.px(12);
    const ImU32 color = t.text_on(paint.state.colors[segment.series]);
    // A number stands alone only in columns, which have no room for names.
    const std::string label = paint.area.horizontal ? segment_label(paint, segment.series, number) : number;
    const glm::vec2 size = text_size(Type::note, label);
    if (size.x > room) return false;
    const float x = paint.area.horizontal ? min.x + t.px(8) : (min.x + max.x - size.x) / 2;
    if (paint.area.horizontal && size.x + t.px(8) > max.x - min.x - t.px(4)) return false;
    put_text(paint.list, Type::note, glm::vec2(std::round(x), std::round((min.y + max.y - height) / 2)),
             color, label);
    return true;
}

/// Beside the end of a stack that could not be labelled inside: the one segment's name and number, or the
/// total.
void label_beside(const FigurePaint& paint, const std::vector<Segment>& segments, std::size_t i) {
    if (!paint.area.horizontal || segments.empty()) return;
    for (const Segment& segment : segments)
        if (segment.labelled) return;
    const Theme& t = theme();
    const AxisUnit unit = paint.y_unit();
    double total = 0;
    for (const Segment& segment : segments)
        total += paint.state.data[segment.series].y(i);
    std::string label = short_value_text(unit, total);
    if (segments.size() == 1) label = segment_label(paint, segments.front().series, label);
    const Rect last = segments.back().corners;
    const float height = t.font(Type::note)->FontSize;
    if (last.max.y - last.min.y < height * 0.8f) return;
    put_text(paint.list, Type::note,
             glm::vec2(last.max.x + t.px(8), std::round((last.min.y + last.max.y - height) / 2)),
             t.palette().text, label);
}

}  // namespace

void draw_stacks(const FigurePaint& paint) {
    const std::vector<Series>& all = paint.figure.series;
    const PlotArea& area = paint.area;
    std::size_t count = 0, any = all.size();
    for (std::size_t s = 0; s < all.size(); ++s) {
        if (all[s].mark != Mark::stacked_bars || paint.hidden(s)) continue;
        if (paint.state.data[s].size() > count) {
            count = paint.state.data[s].size();
            any = s;
        }
    }
    if (any == all.size()) return;
    const SeriesData& positions = paint.state.data[any];
    const BarSlot slot = bar_slot(paint, any);
    const AxisScale scale = paint.figure.y.scale;
    const AxisUnit unit = paint.y_unit();
    const auto position = [&](double sum) {
        const double at = to_axis(scale, sum);
        return area.along_y(std::isnan(at) ? area.y.low : at);
    };
    std::vector<Segment> segments;
    float drawn_to = -1e9f;  // along x: where a pixel holds many stacks, the first one of them is drawn
    for (std::size_t i = positions.lower_bound(area.x.low - slot.pitch);
         i < std::min(count, positions.lower_bound(area.x.high + slot.pitch)); ++i) {
        const double middle = positions.axis_x(i);
        float x0 = std::round(area.along_x(middle - slot.width / 2));
        float x1 = std::round(area.along_x(middle + slot.width / 2));
        if (x1 - x0 < 1) x1 = x0 + 1;
        if (x1 <= drawn_to) continue;
        drawn_to = x1;
        const float gap = x1 - x0 >= theme().px(6) ? std::max(1.0f, std::floor(theme().px(1))) : 0;
        segments.clear();
        for (std::size_t s = 0; s < all.size(); ++s) {
            const SeriesData& data = paint.state.data[s];
            if (all[s].mark != Mark::stacked_bars || paint.hidden(s) || i >= data.size()) continue;
            const double value = data.y(i);
            if (!data.valid(i) || value == 0) continue;
            const double below = stack_below(paint, s, i);
            float y0 = std::round(position(below)), y1 = std::round(position(below + value));
            const float towards = y1 >= y0 ? 1.0f : -1.0f;
            if (std::fabs(y1 - y0) > 2 * gap) y1 -= towards * gap;
            // A part that took time is never nothing: the CPU's sliver beside a long wait.
            if (std::fabs(y1 - y0) < std::max(1.0f, gap)) y1 = y0 + towards * std::max(1.0f, theme().px(2));
            Segment segment{s, area.corners(x0, x1, y0, y1), false};
            ImU32 color = paint.state.colors[s];
            if (paint.hit && paint.hit->series == s && paint.hit->index == i)
                color = mix(color, theme().palette().text, 0.2f);
            const glm::vec2 size(segment.corners.max.x - segment.corners.min.x,
                                 segment.corners.max.y - segment.corners.min.y);
            const float radius = std::min(size.x, size.y) >= theme().px(8) ? theme().px(2) : 0;
            paint.list->AddRectFilled(segment.corners.min, segment.corners.max, color, radius);
            segments.push_back(segment);
        }
        if (!paint.figure.value_labels) continue;
        for (Segment& segment : segments)
            segment.labelled =
                label_inside(paint, segment, short_value_text(unit, paint.state.data[segment.series].y(i)));
        label_beside(paint, segments, i);
    }
}

}  // namespace gridstride::ui

// Boxes of a figure: items with an extent along x and along y.
#include <algorithm>
#include <cmath>

#include "ui/plot/plot_state.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

/// Converts to axis units; a category spans its whole slot.
Range to_axis_range(const Axis& axis, double from, double to) {
    const double half = axis.categories.empty() ? 0 : 0.5;
    const Range range{to_axis(axis.scale, from) - half, to_axis(axis.scale, to) + half};
    return range.low <= range.high ? range : no_range;
}

/// Returns the box on the screen, with a gap to its neighbours; empty if it has no extent on the axes.
Rect get_box_rect(const FigurePaint& paint, const Figure::Box& box) {
    const Range x = to_axis_range(paint.figure.x, box.x_from, box.x_to);
    const Range y = to_axis_range(paint.figure.y, box.y_from, box.y_to);
    if (x == no_range || y == no_range) return {};
    const PlotArea& area = paint.area;
    Rect at = area.corners(std::round(area.along_x(x.low)), std::round(area.along_x(x.high)),
                           std::round(area.along_y(y.low)), std::round(area.along_y(y.high)));
    const float gap = column_width();
    const glm::vec2 min_size(gap);  // minimum size, so that every box is visible
    at.max = glm::max(at.max - glm::vec2(at.width() > 4 * gap ? 2 * gap : 0, at.height() > 4 * gap ? gap : 0),
                      at.min + min_size);
    return at;
}

}  // namespace

Range box_range(const Figure& figure, bool along_x) {
    Range range = no_range;
    for (const Figure::Box& box : figure.boxes) {
        const Range own = along_x ? to_axis_range(figure.x, box.x_from, box.x_to)
                                  : to_axis_range(figure.y, box.y_from, box.y_to);
        range = {std::min(range.low, own.low), std::max(range.high, own.high)};
    }
    return range;
}

std::optional<std::size_t> find_box(const FigurePaint& paint, glm::vec2 mouse) {
    std::optional<std::size_t> found;
    for (std::size_t b = 0; b < paint.figure.boxes.size(); ++b)
        if (get_box_rect(paint, paint.figure.boxes[b]).contains(mouse)) found = b;
    return found;
}

void draw_boxes(const FigurePaint& paint) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    for (std::size_t b = 0; b < paint.figure.boxes.size(); ++b) {
        const Figure::Box& box = paint.figure.boxes[b];
        const Rect at = get_box_rect(paint, box);
        if (at.max.x <= at.min.x || at.clipped_to(area).width() <= 0) continue;
        const bool highlighted = paint.box == b || is_highlighted(paint.view, box.highlight_ids);
        ImU32 color = !box.group       ? t.palette().line
                      : paint.is_small ? t.series_color(*box.group)
                                       : group_color(*box.group);
        if (highlighted) color = mix(color, t.palette().text, 0.2F);
        const float radius = std::min({t.px(4), at.width() / 4, at.height() / 4});
        paint.list->AddRectFilled(at.min, at.max, color, radius);
        if (highlighted)
            paint.list->AddRect(at.min, at.max, t.palette().text, radius, 0, std::max(1.0F, t.px(2)));
        const float from = std::max(at.min.x, area.min.x), to = std::min(at.max.x, area.max.x);
        const float height = t.font_size(TextStyle::mono), padding = t.px(6);
        if (paint.is_small || at.height() < height + t.px(2)) continue;
        const std::string words = longest_fitting_text(
            TextStyle::mono, {box.label, box.label.substr(0, box.label.find(' '))}, to - from - 2 * padding);
        // At the top, or centred in a low box.
        const float y = std::min(at.min.y + padding, at.centre().y - height / 2);
        draw_plot_text(paint.list, TextStyle::mono,
                       glm::round(glm::vec2(from + padding, std::max(y, at.min.y + 1))), t.text_on(color),
                       words);
    }
}

void add_box_readout(const Figure& figure, std::size_t index, std::vector<ReadoutLine>& lines) {
    const Figure::Box& box = figure.boxes[index];
    const auto add_span = [&](const Axis& axis, double from, double to) {
        const std::string first = value_text(axis, from), last = value_text(axis, to);
        const std::string span = first == last ? first : first + " \u2026 " + last;
        lines.push_back(axis.label.empty() ? ReadoutLine{0, span, {}} : ReadoutLine{0, axis.label, span});
    };
    lines.push_back({0, box.label, {}});
    add_span(figure.x, box.x_from, box.x_to);
    add_span(figure.y, box.y_from, box.y_to);
    if (!box.note.empty()) lines.push_back({0, box.note, {}});
}

}  // namespace gridstride::ui

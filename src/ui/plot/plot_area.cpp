#include <algorithm>
#include <cmath>

#include "ui/plot/plot_state.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

/// Limits screen coordinates: at a high zoom they would exceed the precision of a float.
constexpr double max_screen_coordinate = 16384;

float interpolate(double fraction, float from, float to) {
    const double at = static_cast<double>(from) + fraction * static_cast<double>(to - from);
    if (std::isnan(at)) return from;
    return static_cast<float>(std::clamp(at, -max_screen_coordinate, max_screen_coordinate));
}

double inverse_interpolate(float coordinate, float from, float to, Range range) {
    if (from == to) return range.low;
    return range.low +
           static_cast<double>(coordinate - from) / static_cast<double>(to - from) * range.length();
}

}  // namespace

float PlotArea::along_x(double position) const {
    const double fraction = (position - x.low) / x.length();
    return is_horizontal ? interpolate(fraction, min.y, max.y) : interpolate(fraction, min.x, max.x);
}

float PlotArea::along_y(double position) const {
    const double fraction = (position - y.low) / y.length();
    return is_horizontal ? interpolate(fraction, min.x, max.x) : interpolate(fraction, max.y, min.y);
}

glm::vec2 PlotArea::at(double x_position, double y_position) const {
    const float a = along_x(x_position), b = along_y(y_position);
    return is_horizontal ? glm::vec2(b, a) : glm::vec2(a, b);
}

double PlotArea::x_under(glm::vec2 point) const {
    return is_horizontal ? inverse_interpolate(point.y, min.y, max.y, x)
                         : inverse_interpolate(point.x, min.x, max.x, x);
}

double PlotArea::y_under(glm::vec2 point) const {
    return is_horizontal ? inverse_interpolate(point.x, min.x, max.x, y)
                         : inverse_interpolate(point.y, max.y, min.y, y);
}

Rect PlotArea::corners(float x0, float x1, float y0, float y1) const {
    const glm::vec2 a = is_horizontal ? glm::vec2(y0, x0) : glm::vec2(x0, y0);
    const glm::vec2 b = is_horizontal ? glm::vec2(y1, x1) : glm::vec2(x1, y1);
    return {glm::min(a, b), glm::max(a, b)};
}

float column_width() {
    return std::max(1.0f, std::floor(theme().scale()));
}

std::vector<Column> screen_columns(const FigurePaint& paint, std::size_t series) {
    const float count = std::max(1.0f, paint.area.x_length() / column_width());
    return compute_columns(paint.state.data[series], paint.area.x, static_cast<std::size_t>(count));
}

RectBatch::~RectBatch() {
    if (remaining_ > 0) list_->PrimUnreserve(6 * remaining_, 4 * remaining_);
}

void RectBatch::add(glm::vec2 min, glm::vec2 max, ImU32 color) {
    if (remaining_ == 0) {
        // Far below the 65,536 vertices of a 16-bit index; the list starts a new command between batches.
        remaining_ = 512;
        list_->PrimReserve(6 * remaining_, 4 * remaining_);
    }
    list_->PrimRect(min, max, color);
    --remaining_;
}

static glm::vec2 line_corner(TextStyle type, glm::vec2 position) {
    const float padding = theme().line_height(type) - theme().font_size(type);
    return {position.x, position.y - std::ceil(padding / 2)};
}

void draw_plot_text(ImDrawList* list, TextStyle type, glm::vec2 position, ImU32 color,
                    std::string_view text) {
    draw_text(list, type, line_corner(type, position), color, text);
}

void draw_plot_text_right(ImDrawList* list, TextStyle type, glm::vec2 top_right, ImU32 color,
                          std::string_view text) {
    draw_text_right(list, type, line_corner(type, top_right), color, text);
}

void end_plot(std::string_view id, glm::vec2 origin, glm::vec2 size, bool is_focused, float ring_bottom) {
    const Theme& t = theme();
    if (is_focused)
        draw_focus_ring(
            {{origin.x - t.px(4), origin.y - t.px(2)}, {origin.x + size.x + t.px(4), ring_bottom}}, t.px(6));
    register_widget(id, "plot", origin, origin + size);
    set_cursor(origin);
    advance_cursor(size);
}

void draw_readout(const std::vector<ReadoutLine>& lines, glm::vec2 at) {
    if (lines.empty()) return;
    const Theme& t = theme();
    const float padding = t.px(8), swatch = t.px(8), line = t.line_height(TextStyle::note),
                between = t.px(16);
    float labels = 0, values = 0, whole = 0;
    bool any_swatch = false;
    for (const ReadoutLine& l : lines) {
        float& label = l.value.empty() ? whole : labels;
        label = std::max(label, text_size(TextStyle::note, l.label).x);
        values = std::max(values, text_size(TextStyle::mono, l.value).x);
        any_swatch = any_swatch || l.color != 0;
    }
    const float indent = any_swatch ? swatch + t.px(6) : 0;
    const float inner =
        std::max(whole, values > 0 ? indent + labels + (labels > 0 ? between : 0) + values : 0);
    const auto statement_count = std::ranges::count(lines, false, &ReadoutLine::hint);
    const glm::vec2 size(inner + 2 * padding, static_cast<float>(lines.size()) * line + 2 * t.px(6));
    const glm::vec2 screen = ImGui::GetIO().DisplaySize;
    glm::vec2 min = at + t.px(14);
    if (min.x + size.x > screen.x - 4) min.x = at.x - t.px(8) - size.x;
    if (min.y + size.y > screen.y - 4) min.y = at.y - t.px(8) - size.y;
    min = glm::floor(glm::max(min, 4.0f));
    const glm::vec2 max = min + size;

    ImDrawList* list = ImGui::GetForegroundDrawList();
    const Palette& palette = t.palette();
    const glm::vec2 below(0, t.px(2));
    list->AddRectFilled(min + below, max + below, IM_COL32(0, 0, 0, 40), t.px(6));
    list->AddRectFilled(min, max, palette.raised, t.px(6));
    list->AddRect(min, max, palette.line, t.px(6));
    glm::vec2 cursor(min.x + padding, min.y + t.px(6));
    for (const ReadoutLine& l : lines) {
        const float y = std::floor(cursor.y + (line - t.font_size(TextStyle::note)) / 2);
        if (l.value.empty()) {
            draw_plot_text(list, TextStyle::note, glm::vec2(cursor.x, y),
                           statement_count == 1 && !l.hint ? palette.text : palette.quiet, l.label);
        } else {
            if (l.color != 0) {
                const float top = std::floor(cursor.y + (line - swatch) / 2);
                list->AddRectFilled(glm::vec2(cursor.x, top), glm::vec2(cursor.x + swatch, top + swatch),
                                    l.color, t.px(2));
            }
            draw_plot_text(list, TextStyle::note, glm::vec2(cursor.x + indent, y), palette.text, l.label);
            draw_plot_text_right(list, TextStyle::mono, glm::vec2(max.x - padding, y), palette.text, l.value);
        }
        cursor.y += line;
    }
}

}  // namespace gridstride::ui

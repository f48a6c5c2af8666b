#include <algorithm>
#include <string>

#include "present/verdict_text.h"
#include "ui/panels/panels.h"

namespace gridstride::ui {

void note_text(std::string_view words, Severity severity, float width) {
    constexpr ColorRole color_roles[] = {ColorRole::quiet, ColorRole::caution, ColorRole::wrong};
    const ColorRole color_role = color_roles[static_cast<std::size_t>(severity)];
    text_wrapped(TextStyle::note, theme().text_color(color_role), with_mark(color_role, words), width);
}

bool ButtonRows::add(std::string_view id, std::string_view label, const ButtonOptions& options) {
    const glm::vec2 size = button_size(label, options);
    if (at_.x > start_.x && at_.x + size.x > start_.x + width_) at_ = {start_.x, bottom_ + between_};
    set_cursor(at_);
    at_.x += size.x + theme().px(8);
    bottom_ = at_.y + size.y;
    return button(id, label, options);
}

ButtonRows::~ButtonRows() {
    set_cursor({start_.x, bottom_});
    ImGui::Dummy({0, 0});
}

float draw_cell(glm::vec2 at, float width, bool left, ImU32 color, std::string_view text) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float end = at.x + width;
    const std::string cell = elide(TextStyle::mono, text, width - theme().px(8));
    if (left)
        draw_text(list, TextStyle::mono, at, color, cell);
    else
        draw_text_right(list, TextStyle::mono, {end, at.y}, color, cell);
    return end;
}

void draw_number_box(const std::vector<NumberRow>& rows) {
    const Theme& t = theme();
    float unit_width = 0, error_width = 0;
    for (const NumberRow& row : rows) {
        unit_width = std::max(unit_width, text_size(TextStyle::mono, row.quantity.unit).x);
        error_width = std::max(error_width, text_size(TextStyle::mono, row.error).x);
    }
    const float line = t.line_height(TextStyle::mono);
    const float padding = t.px(12);
    const glm::vec2 min = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const glm::vec2 max{min.x + width, min.y + line * static_cast<float>(rows.size()) + 2 * padding};
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(min, max, t.palette().raised, t.px(6));
    list->AddRect(min, max, t.palette().line, t.px(6));
    const float left = min.x + padding, right = max.x - padding;
    const float unit = right - (error_width > 0 ? error_width + t.px(8) : 0) - unit_width;
    const float number = unit - t.px(8);
    float y = min.y + padding;
    for (const NumberRow& row : rows) {
        const ImU32 color_role = row.color_role ? t.text_color(*row.color_role) : t.palette().text;
        const float room = number - text_size(TextStyle::mono, row.quantity.number).x - t.px(8) - left;
        draw_text(list, TextStyle::mono, {left, y}, t.palette().quiet,
                  elide(TextStyle::mono, row.label, room));
        draw_text_right(list, TextStyle::mono, {number, y}, color_role, row.quantity.number);
        draw_text(list, TextStyle::mono, {unit, y}, color_role, row.quantity.unit);
        draw_text_right(list, TextStyle::mono, {right, y}, t.palette().quiet, row.error);
        y += line;
    }
    ImGui::Dummy({width, max.y - min.y});
}

}  // namespace gridstride::ui

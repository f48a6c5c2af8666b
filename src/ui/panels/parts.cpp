#include <string>

#include "ui/panels/panels.h"

namespace gridstride::ui {

void note_text(std::string_view words, Severity severity, float width) {
    constexpr std::string_view marks[] = {"", "! ", "✗ "};
    constexpr Ink inks[] = {Ink::quiet, Ink::caution, Ink::wrong};
    const auto index = static_cast<std::size_t>(severity);
    text_wrapped(Type::note, theme().as_text(inks[index]), std::string(marks[index]).append(words), width);
}

bool ButtonRows::add(std::string_view id, std::string_view label, const ButtonOptions& options) {
    const glm::vec2 size = button_size(label, options);
    if (at_.x > start_.x && at_.x + size.x > start_.x + width_) at_ = {start_.x, bottom_ + between_};
    ImGui::SetCursorScreenPos(at_);
    at_.x += size.x + theme().px(8);
    bottom_ = at_.y + size.y;
    return button(id, label, options);
}

ButtonRows::~ButtonRows() {
    ImGui::SetCursorScreenPos({start_.x, bottom_});
    ImGui::Dummy({0, 0});
}

float draw_cell(glm::vec2 at, float width, bool left, ImU32 color, std::string_view text) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float end = at.x + width;
    const std::string cell = elide(Type::mono, text, width - theme().px(8));
    if (left)
        draw_text(list, Type::mono, at, color, cell);
    else
        draw_text_right(list, Type::mono, {end, at.y}, color, cell);
    return end;
}

}  // namespace gridstride::ui

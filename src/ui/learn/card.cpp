#include "ui/learn/card.h"

#include <algorithm>
#include <cmath>

#include "ui/widgets/control_colors.h"

namespace gridstride::ui {

void draw_card_frame(const Item& item, const Rect& rect, ImU32 border) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 fill = item.is_held ? mix(p.raised, p.text, 0.08F) : item.is_hovered ? p.raised : p.panel;
    list->AddRectFilled(rect.min, rect.max, with_style_alpha(fill), t.px(6));
    list->AddRect(rect.min, rect.max, with_style_alpha(border), t.px(6));
    if (item.is_focused) draw_focus_ring(rect, t.px(6));
}

void draw_progress_bar(glm::vec2 at, float width, float part) {
    const Theme& t = theme();
    const float height = std::max(2.0F, std::round(t.px(progress_bar_height)));
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(at, at + glm::vec2(width, height), with_style_alpha(t.palette().line), height / 2);
    if (part > 0)
        list->AddRectFilled(at, at + glm::vec2(std::max(height, width * part), height),
                            with_style_alpha(t.palette().right), height / 2);
}

}  // namespace gridstride::ui

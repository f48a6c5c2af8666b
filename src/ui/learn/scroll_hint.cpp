#include "ui/learn/scroll_hint.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

/// Less hidden text than this is only the panel's padding.
constexpr float min_hidden_height = 20;

struct PanelState {
    float height = 0;  ///< of the whole text, padding included
    std::optional<float> scroll_to;
};
std::map<std::string, PanelState> panel_states;  // by the panel's id

float hint_height() {
    return std::round(theme().line_height(TextStyle::note) + theme().px(4));
}

}  // namespace

ScrollHint::ScrollHint(std::string id, const Rect& area) : id_(std::move(id)), area_(area), text_(area) {
    // The hint's line stays reserved while the text is scrolled, so nothing moves when the hint disappears.
    if (panel_states[id_].height > area.size().y) text_.max.y -= hint_height();
}

void ScrollHint::begin_text() {
    const Palette& palette = theme().palette();
    ImGui::GetWindowDrawList()->AddRectFilled(area_.min, area_.max, palette.panel);
    begin_panel(id_, text_.min, text_.size(), palette.panel);
    if (auto& target = panel_states[id_].scroll_to) {
        ImGui::SetScrollY(*target);
        target.reset();
    }
}

void ScrollHint::end_text() {
    const Theme& t = theme();
    panel_states[id_].height = ImGui::GetCursorPosY() + std::round(t.px(16));
    scroll_ = ImGui::GetScrollY();
    has_more_ = text_.max.y < area_.max.y && ImGui::GetScrollMaxY() - scroll_ > t.px(min_hidden_height);
    if (has_more_) {
        // Only painted: the text below still receives the mouse.
        const float height = t.px(32);
        const float right = text_.max.x - ImGui::GetStyle().ScrollbarSize;
        const ImU32 solid = t.palette().panel;
        const ImU32 clear = with_alpha(solid, 0);
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->PushClipRect(text_.min, text_.max);
        list->AddRectFilledMultiColor({text_.min.x, text_.max.y - height}, {right, text_.max.y}, clear, clear,
                                      solid, solid);
        list->PopClipRect();
    }
    end_panel();
}

void ScrollHint::draw_hint() {
    if (!has_more_) return;
    const Theme& t = theme();
    const char* words = tr("More below ↓");
    const glm::vec2 size(std::ceil(text_size(TextStyle::note, words).x) + t.px(24), hint_height());
    const float left = std::floor((area_.min.x + area_.max.x - size.x) / 2);
    const Rect rect{glm::vec2(left, text_.max.y), glm::vec2(left, text_.max.y) + size};
    const Item item = interact("story.more", {"button", words}, rect);
    const glm::vec2 at(left + t.px(12), std::floor(rect.centre().y - t.line_height(TextStyle::note) / 2));
    draw_text(ImGui::GetWindowDrawList(), TextStyle::note, at,
              item.is_hovered || item.is_focused ? t.palette().text : t.palette().quiet, words);
    if (item.is_focused) draw_focus_ring(rect.expanded(-glm::vec2(t.px(4))), t.px(4));
    if (item.is_hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    if (!item.was_clicked) return;
    // Scrolls by a page, keeping the last line in view.
    const float by = text_.size().y - 2 * t.line_height(TextStyle::body) - t.px(32);
    panel_states[id_].scroll_to = scroll_ + std::max(by, t.line_height(TextStyle::body));
}

}  // namespace gridstride::ui

// Panels, dialogs, splitters and space.
#include <algorithm>
#include <cmath>

#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

void gap(float design_pixels) {
    advance_cursor(glm::vec2(0, std::round(theme().px(design_pixels))));
}

void separator() {
    const glm::vec2 position = ImGui::GetCursorScreenPos();
    const float width = content_width();
    advance_cursor(glm::vec2(width, 1));
    ImGui::GetWindowDrawList()->AddRectFilled(position, position + glm::vec2(width, 1),
                                              with_style_alpha(theme().palette().line));
}

void tooltip(std::string_view words) {
    Item item;
    item.rect = {ImGui::GetItemRectMin(), ImGui::GetItemRectMax()};
    item.is_hovered = ImGui::IsItemHovered();
    show_delayed_tooltip(item, make_widget_id(words), words);
}

void begin_panel(std::string_view id, glm::vec2 position, glm::vec2 size, ImU32 background, bool scrolls,
                 float padding) {
    register_widget(id, "panel", position, position + size);
    const float inset = std::round(theme().px(padding));
    // The scroll bar lies in the right padding, so the content has the same width with and without it.
    const float bar = scrolls ? std::min(ImGui::GetStyle().ScrollbarSize, inset) : 0;
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, glm::vec2(inset - bar, inset));
    if (bar > 0) ImGui::SetNextWindowContentSize({size.x - 2 * inset + bar, 0});
    ImGui::PushStyleColor(ImGuiCol_ChildBg, background);
    ImGuiWindowFlags flags = ImGuiWindowFlags_AlwaysUseWindowPadding | ImGuiWindowFlags_NoNav;
    if (!scrolls) flags |= ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;
    set_cursor(position);
    // ImGui takes a size of 0 as "the rest of the window".
    ImGui::BeginChild(make_widget_id(id), glm::max(size, glm::vec2(1)), false, flags);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
    if (bar > 0) ImGui::Indent(bar);
}

void end_panel() {
    ImGui::EndChild();
}

bool begin_dialog(std::string_view id, std::string_view title, glm::vec2 screen_min, glm::vec2 screen_max,
                  glm::vec2 size) {
    const Theme& t = theme();
    const glm::vec2 screen(screen_max.x - screen_min.x, screen_max.y - screen_min.y);
    // The window covers the screen and takes the mouse.
    ImGui::SetNextWindowPos(screen_min);
    ImGui::SetNextWindowSize(screen);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, with_alpha(t.palette().ground, 0.7F));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
    ImGui::Begin(std::string(id).c_str(), nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
    set_modal_window();
    const glm::vec2 dialog_size{std::min(size.x, screen.x - t.px(32)), std::min(size.y, screen.y - t.px(32))};
    const glm::vec2 at{screen_min.x + (screen.x - dialog_size.x) / 2,
                       screen_min.y + (screen.y - dialog_size.y) / 3};
    ImGui::GetWindowDrawList()->AddRect(
        {at.x - 1, at.y - 1}, {at.x + dialog_size.x + 1, at.y + dialog_size.y + 1}, t.palette().line);
    begin_panel(std::string(id) + ".panel", at, dialog_size, t.palette().panel, true, 24);
    text(TextStyle::panel_title, t.palette().text, title);
    gap(12);
    return !is_key_pressed(Key::escape);
}

void end_dialog() {
    end_panel();
    ImGui::End();
}

void update_height(float& height, float new_height) {
    if (std::abs(height - new_height) < 1) return;
    height = new_height;
    request_redraw_within(0);
}

bool hit_area(const std::string& id, glm::vec2 size) {
    return ImGui::InvisibleButton(id.c_str(), glm::max(size, glm::vec2(1)));
}

bool splitter(std::string_view id, bool is_vertical, glm::vec2 min, glm::vec2 max, float* size, float minimum,
              float maximum, float direction) {
    const Theme& t = theme();
    const ImGuiID key = make_widget_id(id);
    const int axis = is_vertical ? 0 : 1;  // along which it moves
    const Rect line{min, max};
    const float grip = std::round(t.px(8));
    // The area for the mouse is wider than the line. It is a separate window, because it overlaps the panels
    // on both sides.
    Rect hit = line;
    hit.min[axis] = std::floor(line.centre()[axis] - grip / 2);
    hit.max[axis] = hit.min[axis] + grip;
    register_widget(id, "splitter", hit.min, hit.max);
    set_cursor(hit.min);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, glm::vec2(0, 0));
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, glm::vec2(1, 1));
    ImGui::BeginChild(key, hit.size(), false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse |
                          ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
    const Item item = interact(key, hit, hit, {.takes_arrows = true});
    if (item.is_hovered || item.is_held)
        ImGui::SetMouseCursor(is_vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);

    // During a drag, the line keeps its distance from the mouse.
    static float size_at_start = 0;
    static glm::vec2 mouse_at_start;
    const glm::vec2 mouse = ImGui::GetIO().MousePos;
    if (item.is_held && ImGui::IsMouseClicked(0)) {
        size_at_start = *size;
        mouse_at_start = mouse;
    }
    float new_size = *size;
    if (item.is_held) new_size = size_at_start + direction * (mouse - mouse_at_start)[axis];
    if (item.is_focused) {
        const float step = t.px(16) * direction;
        if (is_plain_key_pressed(is_vertical ? Key::right : Key::down, true)) new_size += step;
        if (is_plain_key_pressed(is_vertical ? Key::left : Key::up, true)) new_size -= step;
    }
    const bool dragged = item.is_held || new_size != *size;
    if (dragged) *size = glm::clamp(new_size, minimum, std::max(minimum, maximum));

    Rect drawn{glm::floor(line.min), glm::floor(line.max)};
    const bool strong = item.is_hovered || item.is_held || item.is_focused;
    drawn.max[axis] = drawn.min[axis] + (strong ? std::max(2.0F, std::round(t.px(2))) : 1.0F);
    ImGui::GetWindowDrawList()->AddRectFilled(
        drawn.min, drawn.max, with_style_alpha(strong ? t.palette().action : t.palette().line));
    if (item.is_focused) draw_focus_ring(drawn, 0);
    ImGui::EndChild();
    ImGui::PopStyleVar(2);
    return dragged;
}

void progress_line(float fraction, float width) {
    const Theme& t = theme();
    const glm::vec2 position = ImGui::GetCursorScreenPos();
    if (width <= 0) width = content_width();
    const float height = std::max(1.0F, std::round(t.px(2)));
    advance_cursor(glm::vec2(width, height));
    float from = 0;
    float to = glm::clamp(fraction, 0.0F, 1.0F);
    const bool is_indeterminate = fraction < 0;
    if (is_indeterminate && t.reduces_motion()) {
        from = 1.0F / 3;
        to = 2.0F / 3;
    } else if (is_indeterminate) {
        // Indeterminate: a third of the line moves from left to right in 1.2 s.
        const double phase = std::fmod(ImGui::GetTime(), 1.2) / 1.2 * 4.0 / 3.0;
        to = glm::clamp(static_cast<float>(phase), 0.0F, 1.0F);
        from = glm::clamp(static_cast<float>(phase - 1.0 / 3.0), 0.0F, 1.0F);
        request_redraw_within(animation_frame_pause());
    }
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(position, position + glm::vec2(width, height), with_style_alpha(t.palette().line));
    list->AddRectFilled(position + glm::vec2(width * from, 0), position + glm::vec2(width * to, height),
                        with_style_alpha(t.palette().upload));
}

}  // namespace gridstride::ui

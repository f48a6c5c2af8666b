#include <algorithm>
#include <cmath>

#include "ui/widgets/control_colors.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

// Design pixels.
constexpr float choice_padding = 14;
constexpr float choice_arrow = 20;

/// The open list; at most one.
struct OpenList {
    ImGuiID owner = 0;
    std::size_t highlighted = 0;
    bool scroll_to_highlighted = false;
    glm::vec2 last_mouse;
};
OpenList& open_list() {
    static OpenList the_list;
    return the_list;
}

/// Returns the option that a script requests: by its label, else the first label with this prefix.
std::optional<std::size_t> find_option(const std::vector<Option>& options, std::string_view text) {
    auto found = std::ranges::find(options, text, &Option::label);
    if (found == options.end() && !text.empty())
        found = std::ranges::find_if(
            options, [&](const std::string& label) { return label.starts_with(text); }, &Option::label);
    if (found == options.end()) return std::nullopt;
    return static_cast<std::size_t>(found - options.begin());
}

float row_height(const Option& option, TextStyle type) {
    const Theme& t = theme();
    return std::round(t.line_height(type) + (option.hint.empty() ? 0 : t.line_height(TextStyle::note)) +
                      t.px(12));
}

bool draw_row(std::string_view id, const Option& option, bool current, std::size_t number, TextStyle type,
              float width) {
    const Theme& t = theme();
    OpenList& open = open_list();
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const Rect rect{start, start + glm::vec2(width, row_height(option, type))};
    const std::string name = std::string(id) + "." + option.label;
    register_widget(name, "option", rect.min, rect.max, current ? "selected" : "");
    advance_cursor(rect.size());
    const ImGuiID key = make_widget_id(name);
    const bool visible = add_item(rect, key);
    Item item;
    item.rect = rect;
    static_cast<Press&>(item) = handle_press(rect, key);
    const bool clicked = item.was_clicked;
    // A resting mouse must not override the arrow keys.
    const glm::vec2 mouse = ImGui::GetIO().MousePos;
    if (item.is_hovered && (mouse.x != open.last_mouse.x || mouse.y != open.last_mouse.y))
        open.highlighted = number;
    const bool highlighted = open.highlighted == number;
    if (highlighted && open.scroll_to_highlighted) {
        scroll_into_view(rect);
        open.scroll_to_highlighted = false;
    }
    if (!visible) return clicked;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ControlColors colors = option_colors(highlighted, item);
    draw_control_background(rect, colors, t.px(4));
    const float text_x = rect.min.x + std::round(t.px(28));
    const float y = rect.min.y + std::round(t.px(6));
    if (current) draw_text(list, type, {rect.min.x + std::round(t.px(8)), y}, colors.text, "✓");
    draw_text(list, type, {text_x, y}, colors.text, option.label);
    if (!option.hint.empty()) {
        const std::string hint = elide(TextStyle::note, option.hint, rect.max.x - text_x - t.px(8));
        draw_text(list, TextStyle::note, {text_x, y + t.line_height(type)}, secondary_text_color(colors),
                  hint);
        if (hint != option.hint) show_delayed_tooltip(item, key, option.hint);
    }
    return clicked;
}

void move_highlight(std::size_t count) {
    OpenList& open = open_list();
    const std::size_t before = open.highlighted;
    if (is_key_pressed(Key::down, true)) open.highlighted = std::min(open.highlighted + 1, count - 1);
    if (is_key_pressed(Key::up, true) && open.highlighted > 0) --open.highlighted;
    if (is_key_pressed(Key::home)) open.highlighted = 0;
    if (is_key_pressed(Key::end)) open.highlighted = count - 1;
    open.scroll_to_highlighted = open.scroll_to_highlighted || before != open.highlighted;
}

/// Draws the list below its button. Returns the option that was chosen.
std::optional<std::size_t> draw_list(std::string_view id, ImGuiID key, const Rect& button_rect,
                                     const std::vector<Option>& options, std::size_t current,
                                     TextStyle type) {
    const Theme& t = theme();
    OpenList& open = open_list();
    const float inset = std::round(t.px(4));
    float width = button_rect.width() - 2 * inset;
    float height = 2 * inset;
    for (const Option& option : options) {
        width = std::max(width, text_size(type, option.label).x + t.px(40));
        width = std::max(width, std::min(text_size(TextStyle::note, option.hint).x + t.px(40), t.px(420)));
        height += row_height(option, type);
    }
    width = std::ceil(width);
    const glm::vec2 display = ImGui::GetIO().DisplaySize;
    const float away = std::round(t.px(4));
    const float below = display.y - button_rect.max.y - 2 * away;
    const float above = button_rect.min.y - 2 * away;
    const bool upwards = below < height && above > below;
    height = std::min(height, upwards ? above : below);
    const float x =
        std::max(away, std::min(button_rect.max.x - width - 2 * inset, display.x - width - 2 * inset - away));
    ImGui::SetNextWindowPos({x, upwards ? button_rect.min.y - away - height : button_rect.max.y + away});
    ImGui::SetNextWindowSize({width + 2 * inset, height});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, glm::vec2(inset, inset));
    const bool shown_now = begin_popup(key);
    ImGui::PopStyleVar();
    if (!shown_now) {
        if (open.owner == key) open.owner = 0;
        return std::nullopt;
    }
    std::optional<std::size_t> chosen;
    move_highlight(options.size());
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (draw_row(id, options[i], i == current, i, type, std::max(1.0F, content_width()))) chosen = i;
    }
    open.last_mouse = ImGui::GetIO().MousePos;
    const bool just_opened = ImGui::IsWindowAppearing();
    if (!just_opened && (is_plain_key_pressed(Key::enter) || is_plain_key_pressed(Key::space)))
        chosen = open.highlighted;
    if (chosen || is_key_pressed(Key::escape) || is_key_pressed(Key::tab)) ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    return chosen;
}

}  // namespace

float choice_width(std::string_view option, TextStyle option_type) {
    const Theme& t = theme();
    return std::ceil(text_size(option_type, option).x + 2 * std::round(t.px(choice_padding)) +
                     std::round(t.px(choice_arrow)));
}

bool choice(std::string_view id, std::string_view label, const std::vector<Option>& options,
            std::size_t* index, TextStyle option_type) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    const ImGuiID key = make_widget_id(id);
    const std::size_t before = *index;
    if (const std::optional<std::string> requested = take_requested_value(id)) {
        if (const auto option = find_option(options, *requested)) *index = *option;
    }
    const std::string_view shown_label =
        *index < options.size() ? std::string_view(options[*index].label) : "";

    const glm::vec2 start = cursor();
    const float width = std::floor(content_width());
    const float height = std::round(t.px(34));
    const float padding = std::round(t.px(choice_padding));
    const float arrow_room = std::round(t.px(choice_arrow));
    const float label_width = label.empty() ? 0 : text_size(TextStyle::body, label).x + t.px(12);
    const float wanted_width = choice_width(shown_label, option_type);
    const float button_width =
        label.empty() ? width : std::ceil(std::min(wanted_width, std::max(t.px(80), width - label_width)));
    const Rect rect{{start.x + width - button_width, start.y}, {start.x + width, start.y + height}};
    register_widget(id, "choice", rect.min, rect.max, shown_label);
    advance_cursor(glm::vec2(width, height));
    const Item item = interact(key, rect, rect, {.press_on_down = true});

    const bool opens = item.was_clicked || (item.is_focused && is_plain_key_pressed(Key::down));
    if (opens && !options.empty() && !is_popup_open(key)) {
        ImGui::OpenPopup(key);
        open_list() = {.owner = key,
                       .highlighted = std::min(*index, options.size() - 1),
                       .scroll_to_highlighted = true,
                       .last_mouse = ImGui::GetIO().MousePos};
    }
    const bool is_open = is_popup_open(key);
    if (item.is_visible) {
        ImDrawList* list = ImGui::GetWindowDrawList();
        const auto centred = [&](TextStyle type) {
            return start.y + std::floor((height - t.line_height(type)) / 2);
        };
        draw_text(list, TextStyle::body, {start.x, centred(TextStyle::body)}, p.quiet, label);
        const ControlColors colors = choice_colors(is_open, item);
        draw_control_background(rect, colors, t.px(6));
        draw_text(list, option_type, {rect.min.x + padding, centred(option_type)}, colors.text,
                  elide(option_type, shown_label, button_width - 2 * padding - arrow_room));
        const glm::vec2 tip(rect.max.x - padding - t.px(4), std::floor(rect.centre().y) + t.px(2));
        list->AddTriangleFilled(tip + glm::vec2(-t.px(3.5F), -t.px(4)), tip + glm::vec2(t.px(3.5F), -t.px(4)),
                                tip, with_style_alpha(p.text));
        if (item.is_focused) draw_focus_ring(rect, t.px(6));
    }
    if (!is_open && *index < options.size()) show_delayed_tooltip(item, key, options[*index].hint);
    if (is_open) {
        if (const auto chosen = draw_list(id, key, rect, options, *index, option_type)) *index = *chosen;
    }
    return *index != before;
}

}  // namespace gridstride::ui

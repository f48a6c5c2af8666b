#include <algorithm>
#include <cmath>

#include "ui/widgets/control_colors.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

TextStyle label_style(const ButtonOptions& options) {
    return options.is_small ? TextStyle::note : TextStyle::body;
}

glm::vec2 label_padding(const ButtonOptions& options) {
    const Theme& t = theme();
    return options.is_small ? glm::vec2(t.px(12), t.px(4)) : glm::vec2(t.px(14), t.px(6));
}

}  // namespace

glm::vec2 button_size(std::string_view label, const ButtonOptions& options) {
    const TextStyle type = label_style(options);
    const glm::vec2 padding = label_padding(options);
    glm::vec2 size = text_size(type, label) + padding * 2.0F;
    if (!options.shortcut.empty()) size.x += text_size(type, options.shortcut).x + theme().px(8);
    return glm::floor(size + glm::vec2(0.5F, 0.5F));
}

bool button(std::string_view id, std::string_view label, const ButtonOptions& options) {
    const Theme& t = theme();
    const glm::vec2 position = cursor();
    const Rect rect{position, position + button_size(label, options)};
    register_widget(id, "button", rect.min, rect.max, label);
    advance_cursor(rect.size());
    const Item item = interact(make_widget_id(id), rect, rect, {.is_enabled = options.is_enabled});
    if (item.is_visible) {
        const ControlColors colors = button_colors(options, item);
        const TextStyle type = label_style(options);
        const float rounding = t.px(6);
        ImDrawList* list = ImGui::GetWindowDrawList();
        draw_control_background(rect, colors, rounding);
        const glm::vec2 padding = label_padding(options);
        draw_text(list, type, rect.min + padding, colors.text, label);
        if (!options.shortcut.empty())
            draw_text_right(list, type, {rect.max.x - padding.x, rect.min.y + padding.y},
                            secondary_text_color(colors), options.shortcut);
        if (item.is_focused) draw_focus_ring(rect, rounding);
    }
    show_delayed_tooltip(item, make_widget_id(id), options.tooltip);
    return item.was_clicked;
}

bool checkbox(std::string_view id, std::string_view label, bool* value, bool is_enabled) {
    const Theme& t = theme();
    const float side = std::round(t.px(18)), gap = std::round(t.px(8));
    const glm::vec2 words = text_size(TextStyle::body, label);
    const glm::vec2 position = cursor();
    const Rect rect{position, position + glm::vec2(side + gap + std::ceil(words.x), std::max(side, words.y))};
    advance_cursor(rect.size());
    const Item item = interact(id, {"checkbox", *value ? "on" : "off"}, rect, {.is_enabled = is_enabled});
    if (item.was_clicked) *value = !*value;
    if (!item.is_visible) return item.was_clicked;
    const ControlColors colors = button_colors(
        {.emphasis = *value ? Emphasis::primary : Emphasis::normal, .is_enabled = is_enabled}, item);
    const glm::vec2 corner(rect.min.x, rect.centred_top(side));
    const Rect box{corner, corner + glm::vec2(side)};
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_control_background(box, colors, t.px(4));
    if (!*value) {
        // Without an edge, an empty box would be hard to tell from the panel.
        list->AddRect(box.min, box.max, with_style_alpha(t.palette().quiet), t.px(4));
    } else {
        const glm::vec2 tick = text_size(TextStyle::note_strong, "✓");
        draw_text(list, TextStyle::note_strong, glm::floor(box.centre() - tick / 2.0F), colors.text, "✓");
    }
    draw_text(list, TextStyle::body, {box.max.x + gap, rect.centred_top(words.y)},
              is_enabled ? t.palette().text : t.palette().quiet, label);
    if (item.is_focused) draw_focus_ring(box, t.px(4));
    return item.was_clicked;
}

namespace {

glm::vec2 chip_padding() {
    return {theme().px(11), theme().px(4)};
}

}  // namespace

glm::vec2 chip_size(std::string_view label) {
    return glm::floor(text_size(TextStyle::note, label) + chip_padding() * 2.0F);
}

bool chip(std::string_view id, std::string_view label, std::string_view tip) {
    const glm::vec2 padding = chip_padding();
    const glm::vec2 position = cursor();
    const Rect rect{position, position + chip_size(label)};
    register_widget(id, "chip", rect.min, rect.max, label);
    advance_cursor(rect.size());
    const Item item = interact(make_widget_id(id), rect, rect);
    if (item.is_visible) {
        const ControlColors colors = chip_colors(item);
        const float rounding = rect.height() / 2;
        draw_control_background(rect, colors, rounding);
        draw_text(ImGui::GetWindowDrawList(), TextStyle::note, rect.min + padding, colors.text, label);
        if (item.is_focused) draw_focus_ring(rect, rounding);
    }
    show_delayed_tooltip(item, make_widget_id(id), tip);
    return item.was_clicked;
}

namespace {

/// Tabs beside each other, in as many rows as they need.
struct TabLayout {
    std::vector<Rect> tabs;  ///< from the upper left corner
    glm::vec2 size = {0, 0};
};

TabLayout lay_out_tabs(const std::vector<Tab>& options, float width) {
    const Theme& t = theme();
    TabLayout layout;
    const float height = t.line_height(TextStyle::note) + std::round(t.px(10));
    float words = 0;
    for (const Tab& tab : options)
        words += std::round(text_size(TextStyle::note, tab.label).x);
    const float each = 2 * static_cast<float>(options.size());
    const float padding = glm::clamp(std::floor((width - words) / std::max(1.0F, each)), std::round(t.px(6)),
                                     std::round(t.px(12)));
    glm::vec2 at(0, 0);
    for (const Tab& tab : options) {
        const float tab_width = std::round(text_size(TextStyle::note, tab.label).x) + 2 * padding;
        if (at.x > 0 && at.x + tab_width > width) at = {0, at.y + height};
        layout.tabs.push_back({at, at + glm::vec2(tab_width, height)});
        at.x += tab_width;
        layout.size = glm::max(layout.size, at + glm::vec2(0, height));
    }
    return layout;
}

}  // namespace

glm::vec2 tabs_size(const std::vector<Tab>& options, float width) {
    return lay_out_tabs(options, width).size;
}
glm::vec2 tabs_end(const std::vector<Tab>& options, float width) {
    return lay_out_tabs(options, width).tabs.back().max;
}

bool tabs(std::string_view id, const std::vector<Tab>& options, std::size_t* index) {
    const Theme& t = theme();
    const std::string prefix = std::string(id) + ".";
    const glm::vec2 start = cursor();
    const TabLayout layout = lay_out_tabs(options, content_width());
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(start, start + layout.size, with_style_alpha(t.palette().raised), t.px(6));

    const std::size_t before = *index;
    for (std::size_t i = 0; i < options.size(); ++i) {
        const Rect rect{start + layout.tabs[i].min, start + layout.tabs[i].max};
        const std::string name = prefix + options[i].id;
        register_widget(name, "tab", rect.min, rect.max, i == before ? "selected" : "");
        const Item item = interact(make_widget_id(name), rect, rect);
        if (item.was_clicked) *index = i;
        const ControlColors colors = tab_colors(i == *index, item);
        draw_control_background(rect, colors, t.px(6));
        const glm::vec2 words = text_size(TextStyle::note, options[i].label);
        draw_text(list, TextStyle::note, glm::floor(rect.centre() - words / 2.0F), colors.text,
                  options[i].label);
        if (item.is_focused) draw_focus_ring(rect.expanded(glm::vec2(-t.px(3))), t.px(4));
    }
    set_cursor(start);
    advance_cursor(layout.size);
    return *index != before;
}

}  // namespace gridstride::ui

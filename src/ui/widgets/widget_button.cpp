// Things to press: buttons, chips, tabs.
#include <cmath>

#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

struct ButtonLook {
    bool control = false;  ///< draw_control()'s face in place of a fill
    float lift = 0;
    ImU32 fill = 0, text = 0;
};

ButtonLook look_of(const ButtonOptions& options, const Item& item) {
    const Palette& p = theme().palette();
    const float lift = item.held ? 0.2F : item.hovered ? 0.1F : 0.0F;
    const ImU32 none = with_alpha(p.panel, 0);
    if (!options.enabled) {
        const bool filled = options.emphasis != Emphasis::quiet;
        return {.fill = filled ? mix(p.raised, p.line, 0.35F) : none, .text = mix(p.quiet, p.panel, 0.35F)};
    }
    // Darker, not lighter: white words must stay readable on it.
    if (options.emphasis == Emphasis::primary || options.selected)
        return {.fill = mix(p.action, IM_COL32(0, 0, 0, 255), lift), .text = p.action_text};
    if (options.emphasis == Emphasis::quiet)
        return {.fill = lift == 0 ? none : mix(p.panel, p.text, lift * 0.8F),
                .text = lift == 0 ? p.quiet : p.text};
    return {.control = true, .lift = lift, .fill = p.line, .text = p.text};
}

Type type_of(const ButtonOptions& options) {
    return options.small ? Type::note : Type::body;
}

glm::vec2 padding_of(const ButtonOptions& options) {
    const Theme& t = theme();
    return options.small ? glm::vec2(t.px(12), t.px(4)) : glm::vec2(t.px(14), t.px(6));
}

}  // namespace

glm::vec2 button_size(std::string_view label, const ButtonOptions& options) {
    const Type type = type_of(options);
    const glm::vec2 padding = padding_of(options);
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
    const Item item = interact(id_of(id), rect, rect, {.enabled = options.enabled});
    if (item.visible) {
        const ButtonLook look = look_of(options, item);
        const Type type = type_of(options);
        const float rounding = t.px(6);
        ImDrawList* list = ImGui::GetWindowDrawList();
        if (look.control)
            draw_control(rect, look.lift);
        else
            list->AddRectFilled(rect.min, rect.max, shown(look.fill), rounding);
        const glm::vec2 padding = padding_of(options);
        draw_text(list, type, rect.min + padding, look.text, label);
        if (!options.shortcut.empty()) {
            // Dimmer by as much as keeps 4.5 to 1.
            draw_text_right(list, type, {rect.max.x - padding.x, rect.min.y + padding.y},
                            mix(look.text, look.fill, 0.12F), options.shortcut);
        }
        if (item.focused) draw_focus_ring(rect, rounding);
    }
    show_tooltip_when_due(item, id_of(id), options.tooltip);
    return item.clicked;
}

bool chip(std::string_view id, std::string_view label, std::string_view tip) {
    const Theme& t = theme();
    const glm::vec2 padding(t.px(11), t.px(4));
    const glm::vec2 position = cursor();
    const Rect rect{position, position + glm::floor(text_size(Type::note, label) + padding * 2.0F)};
    register_widget(id, "chip", rect.min, rect.max, label);
    advance_cursor(rect.size());
    const Item item = interact(id_of(id), rect, rect);
    if (item.visible) {
        const Palette& p = t.palette();
        const float rounding = rect.height() / 2;
        ImDrawList* list = ImGui::GetWindowDrawList();
        const float lift = item.held ? 0.14F : item.hovered ? 0.07F : 0.0F;
        list->AddRectFilled(rect.min, rect.max, shown(mix(p.raised, p.text, lift)), rounding);
        list->AddRect(rect.min, rect.max, shown(p.line), rounding, 0, 1);
        draw_text(list, Type::note, rect.min + padding, item.hovered ? p.text : p.quiet, label);
        if (item.focused) draw_focus_ring(rect, rounding);
    }
    show_tooltip_when_due(item, id_of(id), tip);
    return item.clicked;
}

namespace {

/// Where the tabs stand: as wide apart as the width lets them, then in rows.
struct TabLayout {
    float between = 0;
    std::vector<Rect> labels;  ///< from the upper left corner, each as high as its row
    glm::vec2 size;            ///< to the last row's end and below it
};

TabLayout lay_out_tabs(const std::vector<Tab>& options, float width) {
    const Theme& t = theme();
    TabLayout layout;
    const float row_height = t.line_height(Type::body) + std::round(t.px(14));
    float labels = 0;
    for (const Tab& tab : options)
        labels += std::round(text_size(Type::body, tab.label).x);
    const auto gaps = static_cast<float>(options.size() > 1 ? options.size() - 1 : 1);
    const float widest = std::round(t.px(20)), narrowest = std::round(t.px(12));
    layout.between = glm::clamp(std::floor((width - labels) / gaps), narrowest, widest);
    glm::vec2 at(0, 0);
    layout.size = {0, row_height};
    for (const Tab& tab : options) {
        const float label = std::round(text_size(Type::body, tab.label).x);
        if (at.x > 0 && at.x + label > width) at = {0, at.y + row_height};
        layout.size = at + glm::vec2(label, row_height);
        layout.labels.push_back({at, layout.size});
        at.x += label + layout.between;
    }
    return layout;
}

}  // namespace

float tabs_height(const std::vector<Tab>& options, float width) {
    return lay_out_tabs(options, width).size.y;
}

bool tabs(std::string_view id, const std::vector<Tab>& options, std::size_t* index) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    const std::string prefix = std::string(id) + ".";
    const glm::vec2 start = cursor();
    const float width = content_width();
    const TabLayout layout = lay_out_tabs(options, width);
    const float bottom = start.y + layout.size.y;
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled({start.x, bottom - 1}, {start.x + width, bottom}, shown(p.line));

    const std::size_t before = *index;
    for (std::size_t i = 0; i < options.size(); ++i) {
        const Rect rect{start + layout.labels[i].min, start + layout.labels[i].max};
        const Rect hit = rect.expanded({layout.between / 2, 0});
        const std::string name = prefix + options[i].id;
        register_widget(name, "tab", hit.min, hit.max, i == before ? "selected" : "");
        const Item item = interact(id_of(name), hit, hit);
        if (item.clicked) *index = i;
        const bool current = i == *index;
        const ImU32 ink = current || item.hovered ? p.text : p.quiet;
        draw_text(list, Type::body, {rect.min.x, rect.min.y + std::round(t.px(4))}, ink, options[i].label);
        if (current) {
            list->AddRectFilled({rect.min.x, rect.max.y - std::round(t.px(2))}, {rect.max.x, rect.max.y},
                                shown(p.upload));
        }
        if (item.focused) {
            Rect around = rect.expanded({t.px(4), 0});
            around.max.y -= t.px(6);
            draw_focus_ring(around, t.px(4));
        }
    }
    ImGui::SetCursorScreenPos(start);
    advance_cursor(layout.size);
    return *index != before;
}

}  // namespace gridstride::ui

#include "ui/widgets/control_colors.h"

#include "ui/widgets/widget_item.h"

namespace gridstride::ui {
namespace {

ImU32 transparent_color() {
    return with_alpha(theme().palette().panel, 0);
}

/// Raised from its panel by a fill on dark themes, by a fainter fill and an edge on light ones.
ControlColors control_colors(float lift) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    const bool dark = t.mode() == Mode::dark;
    return {mix(dark ? p.line : p.raised, p.text, lift), dark ? transparent_color() : p.line, p.text};
}

float press_lift(const Press& press, float hovered, float held) {
    return press.is_held ? held : press.is_hovered ? hovered : 0.0F;
}

bool is_opaque(ImU32 color) {
    return color >> IM_COL32_A_SHIFT != 0;
}

}  // namespace

ControlColors button_colors(const ButtonOptions& options, const Press& press) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    const float lift = press_lift(press, 0.1F, 0.2F);
    if (!options.is_enabled) {
        const bool filled = options.emphasis != Emphasis::quiet;
        const ImU32 fill = filled ? mix(p.raised, p.line, 0.35F) : transparent_color();
        return {fill, transparent_color(),
                t.readable_on(mix(p.quiet, p.panel, 0.15F), filled ? fill : p.raised)};
    }
    // Darker, not lighter, because white text must stay readable on it.
    if (options.emphasis == Emphasis::primary || options.is_selected)
        return {mix(p.action, IM_COL32(0, 0, 0, 255), lift), transparent_color(), p.action_text};
    // Stronger than quiet text, to show that it can be pressed.
    if (options.emphasis == Emphasis::quiet)
        return {lift == 0 ? transparent_color() : mix(p.panel, p.text, lift * 0.8F), transparent_color(),
                lift == 0 ? mix(p.quiet, p.text, 0.35F) : p.text};
    return control_colors(lift);
}

ControlColors chip_colors(const Press& press) {
    const Palette& p = theme().palette();
    return {mix(p.raised, p.text, press_lift(press, 0.07F, 0.14F)), p.line,
            press.is_hovered ? p.text : p.quiet};
}

ControlColors tab_colors(bool is_selected, const Press& press) {
    const Palette& p = theme().palette();
    if (is_selected)
        return {mix(p.line, p.text, theme().mode() == Mode::dark ? 0.05F : 0.0F), transparent_color(),
                p.text};
    return {transparent_color(), transparent_color(), press.is_hovered || press.is_held ? p.text : p.quiet};
}

ControlColors choice_colors(bool open, const Press& press) {
    return control_colors(open ? 0.14F : press_lift(press, 0.08F, 0.14F));
}

ControlColors option_colors(bool is_highlighted, const Press& press) {
    const Palette& p = theme().palette();
    return {is_highlighted ? mix(p.line, p.text, press.is_held ? 0.12F : 0.05F) : transparent_color(),
            transparent_color(), p.text};
}

ImU32 secondary_text_color(const ControlColors& colors) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    const ImU32 ground = is_opaque(colors.fill) ? colors.fill : p.raised;
    ImU32 dim = colors.text;
    for (float away = 0.05F; away <= 0.4F; away += 0.05F) {
        const ImU32 dimmer = mix(colors.text, ground, away);
        if (contrast_ratio(dimmer, ground) < 4.5F) break;
        dim = dimmer;
    }
    return dim;
}

void draw_control_background(const Rect& rect, const ControlColors& colors, float rounding) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (is_opaque(colors.fill))
        list->AddRectFilled(rect.min, rect.max, with_style_alpha(colors.fill), rounding);
    if (is_opaque(colors.edge))
        list->AddRect(rect.min, rect.max, with_style_alpha(colors.edge), rounding, 0, 1);
}

}  // namespace gridstride::ui

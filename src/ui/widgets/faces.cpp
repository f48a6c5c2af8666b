#include "ui/widgets/faces.h"

#include "ui/widgets/widget_item.h"

namespace gridstride::ui {
namespace {

ImU32 nothing() {
    return with_alpha(theme().palette().panel, 0);
}

/// Raised from its panel by a fill on dark themes, by a fainter fill and an edge on light ones.
Face control_face(float lift) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    const bool dark = t.mode() == Mode::dark;
    return {mix(dark ? p.line : p.raised, p.text, lift), dark ? nothing() : p.line, p.text};
}

float lift_of(const Press& press, float hovered, float held) {
    return press.held ? held : press.hovered ? hovered : 0.0F;
}

bool is_seen(ImU32 color) {
    return color >> IM_COL32_A_SHIFT != 0;
}

}  // namespace

Face button_face(const ButtonOptions& options, const Press& press) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    const float lift = lift_of(press, 0.1F, 0.2F);
    if (!options.enabled) {
        const bool filled = options.emphasis != Emphasis::quiet;
        const ImU32 fill = filled ? mix(p.raised, p.line, 0.35F) : nothing();
        return {fill, nothing(), t.readable_on(mix(p.quiet, p.panel, 0.15F), filled ? fill : p.raised)};
    }
    // Darker, not lighter, because white text must stay readable on it.
    if (options.emphasis == Emphasis::primary || options.selected)
        return {mix(p.action, IM_COL32(0, 0, 0, 255), lift), nothing(), p.action_text};
    // Stronger than quiet text, to show that it can be pressed.
    if (options.emphasis == Emphasis::quiet)
        return {lift == 0 ? nothing() : mix(p.panel, p.text, lift * 0.8F), nothing(),
                lift == 0 ? mix(p.quiet, p.text, 0.35F) : p.text};
    return control_face(lift);
}

Face chip_face(const Press& press) {
    const Palette& p = theme().palette();
    return {mix(p.raised, p.text, lift_of(press, 0.07F, 0.14F)), p.line, press.hovered ? p.text : p.quiet};
}

Face tab_face(bool selected, const Press& press) {
    const Palette& p = theme().palette();
    if (selected)
        return {mix(p.line, p.text, theme().mode() == Mode::dark ? 0.05F : 0.0F), nothing(), p.text};
    return {nothing(), nothing(), press.hovered || press.held ? p.text : p.quiet};
}

Face choice_face(bool open, const Press& press) {
    return control_face(open ? 0.14F : lift_of(press, 0.08F, 0.14F));
}

Face option_face(bool highlighted, const Press& press) {
    const Palette& p = theme().palette();
    return {highlighted ? mix(p.line, p.text, press.held ? 0.12F : 0.05F) : nothing(), nothing(), p.text};
}

ImU32 second_text(const Face& face) {
    const Theme& t = theme();
    const Palette& p = t.palette();
    const ImU32 ground = is_seen(face.fill) ? face.fill : p.raised;
    ImU32 dim = face.text;
    for (float away = 0.05F; away <= 0.4F; away += 0.05F) {
        const ImU32 dimmer = mix(face.text, ground, away);
        if (contrast_ratio(dimmer, ground) < 4.5F) break;
        dim = dimmer;
    }
    return dim;
}

void draw_face(const Rect& rect, const Face& face, float rounding) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (is_seen(face.fill)) list->AddRectFilled(rect.min, rect.max, shown(face.fill), rounding);
    if (is_seen(face.edge)) list->AddRect(rect.min, rect.max, shown(face.edge), rounding, 0, 1);
}

}  // namespace gridstride::ui

// The colours of a control in each of its states.
#pragma once

#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

/// Colours with alpha 0 are not drawn: the panel shows through.
struct ControlColors {
    ImU32 fill = 0;
    ImU32 edge = 0;
    ImU32 text = 0;
};

ControlColors button_colors(const ButtonOptions& options, const Press& press);
ControlColors chip_colors(const Press& press);
ControlColors tab_colors(bool is_selected, const Press& press);
ControlColors choice_colors(bool open, const Press& press);
ControlColors option_colors(bool is_highlighted, const Press& press);

/// Returns the dimmest readable colour for a button's shortcut or an option's second line.
ImU32 secondary_text_color(const ControlColors& colors);

void draw_control_background(const Rect& rect, const ControlColors& colors, float rounding);

}  // namespace gridstride::ui

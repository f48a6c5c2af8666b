// The colours of a control in each of its states: what it is filled with, and what is written on it.
#pragma once

#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

/// Of no alpha: nothing is drawn, and the panel shows through.
struct Face {
    ImU32 fill = 0;
    ImU32 edge = 0;
    ImU32 text = 0;
};

Face button_face(const ButtonOptions& options, const Press& press);
Face chip_face(const Press& press);
Face tab_face(bool selected, const Press& press);
/// The button of a drop-down.
Face choice_face(bool open, const Press& press);
/// A row of an open list.
Face option_face(bool highlighted, const Press& press);

/// A second word on it, as dim as can be read: a button's shortcut, an option's second line.
ImU32 second_text(const Face& face);

void draw_face(const Rect& rect, const Face& face, float rounding);

}  // namespace gridstride::ui

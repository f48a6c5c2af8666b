// The colours of a control in each of its states.
#pragma once

#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

/// Colours with alpha 0 are not drawn: the panel shows through.
struct Face {
    ImU32 fill = 0;
    ImU32 edge = 0;
    ImU32 text = 0;
};

Face button_face(const ButtonOptions& options, const Press& press);
Face chip_face(const Press& press);
Face tab_face(bool selected, const Press& press);
Face choice_face(bool open, const Press& press);
Face option_face(bool highlighted, const Press& press);

/// Returns the dimmest readable colour for a button's shortcut or an option's second line.
ImU32 second_text(const Face& face);

void draw_face(const Rect& rect, const Face& face, float rounding);

}  // namespace gridstride::ui

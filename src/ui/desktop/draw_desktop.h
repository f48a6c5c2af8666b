// What fills the window.
#pragma once

#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// All that a window of this size in pixels shows, within an ImGui frame.
void draw_desktop(Workspace& workspace, glm::vec2 window);

void draw_top_bar(Workspace& workspace, const Rect& area);

}  // namespace gridstride::ui

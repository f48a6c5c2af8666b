// The panels of the window, side by side.
#pragma once

#include "ui/panels/workspace.h"

namespace gridstride::ui {

/// All that the window shows, at this size in pixels, within an ImGui frame.
void draw_desktop(Workspace& workspace, glm::vec2 size);

}  // namespace gridstride::ui

// The stage's "Kernel" tab: the variant's GLSL, to read and to change.
#pragma once

#include "ui/panels/workspace.h"

namespace gridstride::ui {

/// Fills the rest of the panel.
void draw_kernel_panel(Workspace& workspace);

/// What the compiler's verdict means for the results on show, in a sentence: "✗ Line 12 does not compile; the
/// results are those of your last kernel that did."
std::string kernel_status(const Session& session);

}  // namespace gridstride::ui

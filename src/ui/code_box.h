// What all views of code share.
#pragma once

#include "ui/glsl_colours.h"
#include "ui/theme.h"

namespace gridstride::ui {

/// In the theme of the frame being built.
ImU32 glsl_color(GlslKind kind);

}  // namespace gridstride::ui

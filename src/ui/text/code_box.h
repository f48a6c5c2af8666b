// What all views of code share.
#pragma once

#include "ui/text/glsl_colours.h"
#include "ui/widgets/theme.h"

namespace gridstride::ui {

/// In the theme of the frame being built.
ImU32 glsl_color(GlslKind kind);

}  // namespace gridstride::ui

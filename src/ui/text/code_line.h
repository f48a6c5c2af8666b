// A line of GLSL as the editor and a recording's source draw it.
#pragma once

#include <cstddef>
#include <vector>

#include "ui/text/code_text.h"
#include "ui/text/glsl_colours.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// Draws what can be seen of it, however long it is. at: the upper left of its first column, on the screen.
/// pieces: of the whole text. Returns the bytes that were laid out.
std::size_t draw_code_line(const CodeText& text, const std::vector<GlslPiece>& pieces, std::size_t line,
                           glm::vec2 at);

/// Width of a column, in pixels.
float code_column();

}  // namespace gridstride::ui

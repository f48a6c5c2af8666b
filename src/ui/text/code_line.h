// Draws a line of GLSL in the editor and in the source of a trace.
#pragma once

#include <cstddef>
#include <vector>

#include "ui/text/code_text.h"
#include "ui/text/glsl_colours.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// Draws the visible part of a line, however long it is. at: screen position of the upper left of its first
/// column. pieces: of the whole text. Returns the number of bytes that were laid out.
std::size_t draw_code_line(const CodeText& text, const std::vector<GlslPiece>& pieces, std::size_t line,
                           glm::vec2 at);

float code_column_width();

}  // namespace gridstride::ui

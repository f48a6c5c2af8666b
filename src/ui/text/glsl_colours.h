// Splits GLSL into coloured pieces. This is a tokeniser, not a parser.
#pragma once

#include <imgui.h>

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace gridstride::ui {

enum class GlslKind { plain, keyword, type, function, number, comment, preprocessor };

struct GlslPiece {
    std::size_t offset = 0;
    std::size_t length = 0;
    GlslKind kind = GlslKind::plain;
};

/// Returns pieces in order that cover the code without gaps. No piece spans a line end. White space is plain.
std::vector<GlslPiece> tokenise_glsl(std::string_view code);

/// Returns the colours of the current theme, in the order of GlslKind.
std::array<ImU32, 7> glsl_colors();

}  // namespace gridstride::ui

// Flowing text in several styles, and code with colours, from the blocks of a story.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "story/story.h"
#include "ui/widgets/theme.h"

namespace gridstride::ui {

/// Word-wrapped at the panel's right edge (or width), at the cursor. Code spans have a raised background.
void draw_spans(const Spans& spans, Type type = Type::body, float width = 0);
void draw_list(const ListBlock& list);
void draw_table(const TableBlock& table);

/// Code in a box with GLSL colours: keywords, types, built-in functions, comments, numbers, preprocessor
/// lines. heading is the quiet first line (a file name); first_line > 0 shows line numbers from there. Long
/// lines wrap.
void draw_code(std::string_view id, std::string_view heading, std::string_view code,
               std::size_t first_line = 0);

}  // namespace gridstride::ui

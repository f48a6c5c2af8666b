// Flowing text in several styles, and code with colours, from the blocks of a story.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "story/story.h"
#include "ui/widgets/theme.h"

namespace gridstride::ui {

enum class Style { plain, strong, emphasis, code };

/// A run of one style on one line.
struct TextRun {
    std::string text;
    Style style = Style::plain;
    std::string link = {};  ///< what it leads to
    float x = 0;            ///< of the glyphs, from the left
    float width = 0;        ///< without a code span's padding
    int line = 0;
};

/// Words of several styles set into lines.
struct TextLayout {
    std::vector<TextRun> runs;
    int lines = 0;
    float width = 0;    ///< of the widest line
    float longest = 0;  ///< the widest word: the narrowest that it can be without breaking one
};

/// The layout of the spans wrapped at width: made once, then from a cache while text, width and scale stay.
/// Valid until the end of the frame.
const TextLayout& layout_of(const Spans& spans, Type type, float width);

/// From here to the next call, links are places to click and to reach by Tab, with ids "<id>.1", "<id>.2" …
/// Empty, as it is at first: they are words like others.
void begin_links(std::string_view id);
/// What the link leads to that was pressed since begin_links().
std::optional<std::string> pressed_link();

/// From here to the next call of this or of begin_links(), terms are underlined by dots and reached by Tab,
/// with ids as above; whoever points at one or has the keyboard there is shown what it means. A term without
/// a meaning is a word like others.
void begin_terms(std::string_view id, std::function<std::string(std::string_view term)> meaning_of);

/// Word-wrapped at the panel's right edge (or width), at the cursor. Code spans have a raised background.
void draw_spans(const Spans& spans, Type type = Type::body, float width = 0,
                std::optional<ImU32> color = std::nullopt);
/// What it takes of the screen's height at this width.
float spans_height(const Spans& spans, Type type, float width);
void draw_list(const ListBlock& block, float wanted_width = 0);

/// How a table is set into a width: no word and no number in it is broken.
struct TablePlan {
    std::vector<float> widths;  ///< of the columns; empty: they do not fit side by side, it becomes a list
    std::vector<bool> right;    ///< the column holds numbers
};
TablePlan plan_table(const TableBlock& table, float width);
/// As a list: of each row its first cell as a heading, and under it a line for each of the others.
void draw_table(const TableBlock& table, float width = 0);

/// Code in a box with GLSL colours: keywords, types, built-in functions, comments, numbers, preprocessor
/// lines; all in one colour where it is no GLSL. heading is the quiet first line (a file name). Long lines
/// wrap.
void draw_code(std::string_view id, std::string_view heading, std::string_view code, bool is_glsl = true);

}  // namespace gridstride::ui

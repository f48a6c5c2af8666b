// Draws text in several styles, lists, tables and code: the blocks of a story.
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
    std::string link = {};  ///< link target; empty: none
    float x = 0;            ///< of the glyphs, from the left, in pixels
    float width = 0;        ///< without a code span's padding, in pixels
    int line = 0;
};

/// Text of several styles, wrapped into lines.
struct TextLayout {
    std::vector<TextRun> runs;
    int lines = 0;
    float width = 0;      ///< of the widest line
    float max_width = 0;  ///< of the widest word: the smallest width that breaks no word
};

/// Returns the layout of the spans wrapped at `width` pixels, from a cache if text, width and scale are the
/// same. Valid until the end of the frame.
const TextLayout& get_layout(const Spans& spans, TextStyle type, float width);

/// Until the next call, links can be clicked and are Tab stops, with ids "<id>.1", "<id>.2" … If `id` is
/// empty, which is the initial state, links are drawn as plain words.
void begin_links(std::string_view id);
/// Returns the target of the link that was pressed since begin_links().
std::optional<std::string> take_pressed_link();

/// Until the next call of this or of begin_links(), terms are underlined by dots and are Tab stops, with ids
/// as above. A term that is hovered or focused shows its meaning in a tooltip. A term for which find_meaning
/// returns an empty string is drawn as a plain word.
void begin_terms(std::string_view id, std::function<std::string(std::string_view term)> find_meaning);

/// Draws the spans at the cursor, wrapped at `width` pixels; 0: at the panel's right edge. Code spans have a
/// raised background. nullopt: the theme's text colour.
void draw_spans(const Spans& spans, TextStyle type = TextStyle::body, float width = 0,
                std::optional<ImU32> color = std::nullopt);
/// Returns the height of the spans at this width, in pixels.
float spans_height(const Spans& spans, TextStyle type, float width);
void draw_list(const ListBlock& block, float wanted_width = 0);

/// The column widths of a table. No word and no number is broken.
struct TableLayout {
    std::vector<float> widths;  ///< in pixels; empty: the columns do not fit, so the table is drawn as a list
    std::vector<bool> right;    ///< the column holds numbers and is aligned right
};
TableLayout lay_out_table(const TableBlock& table, float width);
/// Draws a table. As a list, each row has its first cell as a heading and a line for each other cell.
void draw_table(const TableBlock& table, float width = 0);

/// Returns how many columns of code a box of this width shows, in pixels. Longer lines wrap.
std::size_t code_columns(float width);
/// Draws code in a box, with syntax colours if is_glsl. heading: a quiet first line, such as a file name.
void draw_code(std::string_view id, std::string_view heading, std::string_view code, bool is_glsl = true);

}  // namespace gridstride::ui

// Words of several styles set into lines. Laid out once, then drawn from a cache while text, width and fonts
// stay.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <cstdint>
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
    float x = 0;      ///< of the glyphs, from the left
    float width = 0;  ///< without a code span's padding
    int line = 0;
};

struct TextLayout {
    std::vector<TextRun> runs;
    int lines = 0;
    float width = 0;    ///< of the widest line
    float longest = 0;  ///< the widest word: the narrowest that it can be without breaking one
};

/// The layout of the spans wrapped at width, from the cache or made now. Valid until the end of the frame.
const TextLayout& layout_of(const Spans& spans, Type type, float width);
/// Draws a layout with its upper left corner at position.
void draw_layout(ImDrawList* list, const TextLayout& layout, Type type, glm::vec2 position, ImU32 color);
float layout_height(const TextLayout& layout, Type type);

/// Calls of layout_of() that had to lay out: what the cache is for.
std::size_t layouts_made();

/// A hash of text for caches that last some frames.
std::uint64_t text_hash(std::uint64_t seed, std::string_view text);
/// What a layout depends on beside its text: fonts and scale.
std::uint64_t font_hash(Type type);

}  // namespace gridstride::ui

#include "ui/text/code_line.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

float code_column_width() {
    return char_advance(*theme().font(TextStyle::mono), '0');
}

std::size_t draw_code_line(const CodeText& text, const std::vector<GlslPiece>& pieces, std::size_t line,
                           glm::vec2 at) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const std::string_view all = text.text();
    const std::size_t end = text.line_end(line);
    const float width = code_column_width();
    // A glyph of a fallback font can be wider than its column.
    constexpr std::size_t wider = 4;
    const auto columns_to = [&](float x) {
        return static_cast<std::size_t>(std::max(0.0F, (x - at.x) / width));
    };
    const std::size_t left = columns_to(list->GetClipRectMin().x);
    const std::size_t right = columns_to(list->GetClipRectMax().x) + 1;
    std::size_t offset = text.offset_at(line, left > wider ? left - wider : 0);
    std::size_t column = text.column_of(offset);
    std::size_t laid_out = 0;
    const auto behind = std::ranges::upper_bound(pieces, offset, {}, &GlslPiece::offset);
    const auto colors = glsl_colors();
    for (auto piece = behind == pieces.begin() ? behind : behind - 1;
         piece != pieces.end() && piece->offset < end; ++piece) {
        const ImU32 color = colors[static_cast<std::size_t>(piece->kind)];
        const std::size_t stop = std::min(end, piece->offset + piece->length);
        // Each run between tabs is placed by its column, so that a wide glyph of a fallback font moves only
        // its own run.
        while (offset < stop) {
            if (column > right) return laid_out;
            if (all[offset] == '\t') {
                column = (column / CodeText::indent_width + 1) * CodeText::indent_width;
                ++offset;
                continue;
            }
            std::size_t to = offset;
            std::size_t columns = 0;
            while (to < stop && all[to] != '\t') {
                const bool begins = !is_continuation_byte(all[to]);
                if (begins && column + columns > right) break;
                if (begins) ++columns;
                ++to;
            }
            const float x = at.x + static_cast<float>(column) * width;
            draw_text(list, TextStyle::mono, {std::round(x), at.y}, color, all.substr(offset, to - offset));
            laid_out += to - offset;
            column += columns;
            offset = to;
        }
    }
    return laid_out;
}

}  // namespace gridstride::ui

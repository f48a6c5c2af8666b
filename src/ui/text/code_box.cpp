#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "ui/text/glsl_colours.h"
#include "ui/text/rich_text.h"
#include "ui/widgets/frame_cache.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr std::size_t tab_width = 4;
constexpr float padding_of_code = 12;  ///< design pixels

struct CodeRun {
    std::string text;
    GlslKind kind = GlslKind::plain;
    std::size_t column = 0;
};
struct CodeLine {
    std::vector<CodeRun> runs;
    std::size_t indent = 0;  ///< columns left of a continuation; 0: the beginning of a source line
};

struct Glyph {
    std::string_view bytes;
    GlslKind kind;
};

/// Returns the characters of each source line, with tabs as spaces. Each character is one column wide.
std::vector<std::vector<Glyph>> characters(std::string_view code, bool is_glsl) {
    std::vector<std::vector<Glyph>> lines(1);
    const std::vector<GlslPiece> pieces =
        is_glsl ? tokenise_glsl(code) : std::vector<GlslPiece>{{0, code.size(), GlslKind::plain}};
    for (const GlslPiece& piece : pieces) {
        for (std::size_t i = piece.offset; i < piece.offset + piece.length;) {
            const std::size_t length = first_characters(code.substr(i), 1).size();
            const char c = code[i];
            if (c == '\n') {
                lines.emplace_back();
            } else if (c == '\t') {
                do
                    lines.back().push_back({" ", piece.kind});
                while (lines.back().size() % tab_width != 0);
            } else if (c != '\r') {
                lines.back().push_back({code.substr(i, length), piece.kind});
            }
            i += length;
        }
    }
    while (lines.size() > 1 && lines.back().empty())
        lines.pop_back();
    return lines;
}

/// Returns where a line of `room` columns should end: after a space, a comma or an operator in its second
/// half, else at `room` columns.
std::size_t find_break(const std::vector<Glyph>& line, std::size_t begin, std::size_t room) {
    const std::size_t end = begin + room;
    if (end >= line.size()) return line.size();
    if (line[end].bytes == " ") return end;
    for (const std::string_view after : {std::string_view(" "), std::string_view(",;(&|+-*/=<>?:")})
        for (std::size_t i = end; i > begin + room / 2; --i)
            if (after.find(line[i - 1].bytes) != std::string_view::npos) return i;
    return end;
}

std::vector<CodeLine> lay_out(std::string_view code, std::size_t columns, bool is_glsl) {
    std::vector<CodeLine> lines;
    for (const std::vector<Glyph>& line : characters(code, is_glsl)) {
        std::size_t indent = 0;
        while (indent < line.size() && line[indent].bytes == " ")
            ++indent;
        // Continuations are indented by two columns more, with room for the mark.
        const std::size_t hanging_indent = std::min(indent + 2, columns / 2);
        std::size_t begin = 0;
        do {
            CodeLine out;
            out.indent = begin > 0 ? hanging_indent : 0;
            const std::size_t end = find_break(line, begin, std::max<std::size_t>(1, columns - out.indent));
            for (std::size_t i = begin; i < end; ++i) {
                if (out.runs.empty() || out.runs.back().kind != line[i].kind)
                    out.runs.push_back({{}, line[i].kind, out.indent + i - begin});
                out.runs.back().text += line[i].bytes;
            }
            lines.push_back(std::move(out));
            begin = end;
            while (begin < line.size() && begin > 0 && line[begin].bytes == " ")
                ++begin;
        } while (begin < line.size());
    }
    return lines;
}

/// Draws ↳, which few fonts have.
void draw_continuation_mark(ImDrawList* list, float right, float middle, float size, ImU32 color) {
    const glm::vec2 tip(right, middle + size * 0.25f);
    const ImVec2 path[3] = {ImVec2(right - size, middle - size * 0.5f), ImVec2(right - size, tip.y), tip};
    list->AddPolyline(path, 3, color, 0, 1);
    const float head = size * 0.35f;
    const ImVec2 arrow[3] = {ImVec2(tip.x - head, tip.y - head), tip, ImVec2(tip.x - head, tip.y + head)};
    list->AddPolyline(arrow, 3, color, 0, 1);
}

}  // namespace

std::size_t code_columns(float width) {
    const float inside = width - 2 * theme().px(padding_of_code);
    return static_cast<std::size_t>(
        std::max(8.0f, inside / char_advance(*theme().font(TextStyle::mono), '0')));
}

void draw_code(std::string_view id, std::string_view heading, std::string_view code, bool is_glsl) {
    const Theme& t = theme();
    ImDrawList* list = ImGui::GetWindowDrawList();
    ImFont* font = t.font(TextStyle::mono);
    const glm::vec2 position = ImGui::GetCursorScreenPos();
    const float width = std::max(t.px(48), ImGui::GetContentRegionAvail().x);
    const float padding = t.px(padding_of_code);
    const float line = t.line_height(TextStyle::mono);
    const float column = char_advance(*font, '0');
    const std::size_t columns = code_columns(width);
    static FrameCache<std::vector<CodeLine>> layouts;
    const std::vector<CodeLine>& lines = layouts.get(fmt::format("{} {} {}", columns, is_glsl, code),
                                                     [&] { return lay_out(code, columns, is_glsl); });

    const float head = heading.empty() ? 0 : line + t.px(2);
    const float height = 2 * padding + head + static_cast<float>(lines.size()) * line;
    const glm::vec2 corner(position.x + width, position.y + height);
    list->AddRectFilled(position, corner, t.palette().raised, t.px(6));
    list->AddRect(position, corner, t.palette().line, t.px(6));
    if (!heading.empty())
        draw_text(list, TextStyle::mono, glm::vec2(position.x + padding, position.y + padding),
                  t.palette().quiet, elide(TextStyle::mono, heading, width - 2 * padding));

    const auto colors = glsl_colors();
    const glm::vec2 clip_min = list->GetClipRectMin(), clip_max = list->GetClipRectMax();
    const ImU32 faint = mix(t.palette().quiet, t.palette().raised, 0.35f);
    const float left = position.x + padding;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const float y = position.y + padding + head + static_cast<float>(i) * line;
        if (y > clip_max.y || y + line < clip_min.y) continue;  // a long shader is mostly out of sight
        const CodeLine& shown = lines[i];
        if (shown.indent > 0)
            draw_continuation_mark(
                list, std::round(left + (static_cast<float>(shown.indent) - 0.6f) * column) + 0.5f,
                std::round(y + line / 2) + 0.5f, column * 0.8f, faint);
        for (const CodeRun& run : shown.runs)
            draw_text(list, TextStyle::mono,
                      glm::vec2(std::round(left + static_cast<float>(run.column) * column), y),
                      colors[static_cast<std::size_t>(run.kind)], run.text);
    }
    ImGui::Dummy(corner - position);
    register_widget(id, "code", position, corner, heading);
}

}  // namespace gridstride::ui

// Words on the panel.
#include <algorithm>
#include <array>
#include <cmath>

#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

const char* end_of(std::string_view text) {
    return text.data() + text.size();
}

float width_of(const ImFont& font, std::string_view text) {
    if (text.empty()) return 0;
    return font.CalcTextSizeA(font.FontSize, FLT_MAX, 0, text.data(), end_of(text)).x;
}

/// ImGui also breaks after a point or a comma, which tears "51.1 µs" apart: back to the last space, if any.
const char* at_a_space(const char* at, const char* stop, const char* end) {
    if (stop == end || *stop == ' ') return stop;
    for (const char* space = stop; space > at + 1; --space)
        if (space[-1] == ' ') return space;
    return stop;
}

/// Calls line(part) for each line of the text when it is wrapped at width.
template <class Line>
void each_wrapped_line(const ImFont& font, std::string_view text, float width, Line&& line) {
    const char* at = text.data();
    const char* end = end_of(text);
    while (at < end) {
        const char* new_line = std::find(at, end, '\n');
        do {
            const char* stop = font.CalcWordWrapPositionA(1.0F, at, new_line, width);
            if (stop == at && at < new_line) stop = at + 1;  // not even one character fits
            stop = at_a_space(at, stop, new_line);
            line(std::string_view(at, static_cast<std::size_t>(stop - at)));
            at = stop;
            while (at < new_line && *at == ' ')
                ++at;
        } while (at < new_line);
        at = new_line + 1;
    }
}

}  // namespace

glm::vec2 text_size(Type type, std::string_view text) {
    const ImFont& font = *theme().font(type);
    float width = 0;
    int lines = 0;
    for (std::size_t start = 0; start <= text.size(); ++lines) {
        const std::size_t stop = std::min(text.find('\n', start), text.size());
        width = std::max(width, width_of(font, text.substr(start, stop - start)));
        start = stop + 1;
    }
    return {width, theme().line_height(type) * static_cast<float>(lines)};
}

void draw_text(ImDrawList* list, Type type, glm::vec2 position, ImU32 color, std::string_view text) {
    if (text.empty()) return;
    ImFont* font = theme().font(type);
    // Halves are rounded up, so that a mono number and the label beside it share a baseline.
    position.y += std::ceil((theme().line_height(type) - font->FontSize) / 2);
    list->AddText(font, font->FontSize, position, shown(color), text.data(), end_of(text));
}

void draw_text_right(ImDrawList* list, Type type, glm::vec2 top_right, ImU32 color, std::string_view text) {
    draw_text(list, type, {std::round(top_right.x - text_size(type, text).x), top_right.y}, color, text);
}

void text(Type type, ImU32 color, std::string_view words) {
    const glm::vec2 position = ImGui::GetCursorScreenPos();
    const glm::vec2 size = text_size(type, words);
    advance_cursor(size);
    if (!add_item({position, position + size}, 0)) return;
    const float line = theme().line_height(type);
    float y = position.y;
    for (std::size_t start = 0; start <= words.size(); y += line) {
        const std::size_t stop = std::min(words.find('\n', start), words.size());
        draw_text(ImGui::GetWindowDrawList(), type, {position.x, y}, color,
                  words.substr(start, stop - start));
        start = stop + 1;
    }
}

void text_wrapped(Type type, ImU32 color, std::string_view words, float width) {
    const glm::vec2 position = ImGui::GetCursorScreenPos();
    const float wrap = width > 0 ? width : content_width();
    const float line = theme().line_height(type);
    glm::vec2 size(0, 0);
    ImDrawList* list = ImGui::GetWindowDrawList();
    each_wrapped_line(*theme().font(type), words, wrap, [&](std::string_view part) {
        const glm::vec2 at(position.x, position.y + size.y);
        if (ImGui::IsRectVisible(at, at + glm::vec2(wrap, line))) draw_text(list, type, at, color, part);
        size.x = std::max(size.x, width_of(*theme().font(type), part));
        size.y += line;
    });
    advance_cursor(size);
    add_item({position, position + size}, 0);
}

void named_text(std::string_view id, Type type, ImU32 color, std::string_view words) {
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    text_wrapped(type, color, words);
    register_widget(id, "text", start, ImGui::GetItemRectMax(), words);
}

std::string elide(Type type, std::string_view text, float width) {
    const ImFont& font = *theme().font(type);
    if (width_of(font, text) <= width) return std::string(text);
    static constexpr std::string_view ellipsis = "…";
    const float room = width - width_of(font, ellipsis);
    const char* fits = text.data();
    if (room > 0) font.CalcTextSizeA(font.FontSize, room, 0, text.data(), end_of(text), &fits);
    std::string_view kept(text.data(), static_cast<std::size_t>(fits - text.data()));
    while (!kept.empty() && kept.back() == ' ')
        kept.remove_suffix(1);
    return std::string(kept) + std::string(ellipsis);
}

namespace {

/// Capitals, except for units: "µs" in capitals would be another unit.
std::string in_capitals(std::string_view text) {
    static constexpr std::array<std::string_view, 10> units = {"µs",  "ms",  "ns", "s",    "KiB",
                                                               "MiB", "GiB", "kB", "GB/s", "MB/s"};
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t stop = std::min(text.find(' ', at), text.size());
        const std::string_view word = text.substr(at, stop - at);
        if (std::find(units.begin(), units.end(), word) != units.end()) {
            out += word;
        } else {
            for (std::size_t i = 0; i < word.size(); ++i) {
                const auto c = static_cast<unsigned char>(word[i]);
                const auto next = i + 1 < word.size() ? static_cast<unsigned char>(word[i + 1]) : 0U;
                if (c >= 'a' && c <= 'z') {
                    out += static_cast<char>(c - 32);
                } else if (c == 0xC3 && next >= 0xA0 && next <= 0xBE && next != 0xB7) {  // à … þ, without ÷
                    out += static_cast<char>(c);
                    out += static_cast<char>(next - 0x20);
                    ++i;
                } else if (c == 0xC5 && next == 0x93) {  // œ
                    out += "Œ";
                    ++i;
                } else {
                    out += static_cast<char>(c);
                }
            }
        }
        if (stop < text.size()) out += ' ';
        at = stop + 1;
    }
    return out;
}

}  // namespace

void section_label(std::string_view words) {
    text(Type::note_strong, theme().palette().quiet, in_capitals(words));
}

}  // namespace gridstride::ui

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

const char* text_end(std::string_view text) {
    return text.data() + text.size();
}

float text_width(ImFont& font, std::string_view text) {
    if (text.empty()) return 0;
    return font.CalcTextSizeA(font_size(font), FLT_MAX, 0, text.data(), text_end(text)).x;
}

/// ImGui also breaks lines after a point or a comma, which would split "51.1 µs". Returns the last space
/// instead, if any.
const char* move_to_space(const char* at, const char* stop, const char* end) {
    if (stop == end || *stop == ' ') return stop;
    for (const char* space = stop; space > at + 1; --space)
        if (space[-1] == ' ') return space;
    return stop;
}

/// Calls line(part) for each line of the text when wrapped at `width`.
template <class Line>
void for_each_wrapped_line(ImFont& font, std::string_view text, float width, Line&& line) {
    const char* at = text.data();
    const char* end = text_end(text);
    while (at < end) {
        const char* new_line = std::find(at, end, '\n');
        do {
            const char* stop = font.CalcWordWrapPositionA(1.0F, at, new_line, width);
            if (stop == at && at < new_line) stop = at + 1;  // not even one character fits
            stop = move_to_space(at, stop, new_line);
            line(std::string_view(at, static_cast<std::size_t>(stop - at)));
            at = stop;
            while (at < new_line && *at == ' ')
                ++at;
        } while (at < new_line);
        at = new_line + 1;
    }
}

}  // namespace

glm::vec2 text_size(TextStyle type, std::string_view words) {
    std::string room;
    const std::string_view text = theme().drawable_text(type, words, room);
    ImFont& font = *theme().font(type);
    // Fast path: called most often in a frame, and nearly always with one line.
    if (text.find('\n') == std::string_view::npos) return {text_width(font, text), theme().line_height(type)};
    glm::vec2 size(0, 0);
    for (const std::string_view line : split(text, '\n')) {
        size.x = std::max(size.x, text_width(font, line));
        size.y += theme().line_height(type);
    }
    return size;
}

void draw_text(ImDrawList* list, TextStyle type, glm::vec2 position, ImU32 color, std::string_view words) {
    if (words.empty()) return;
    std::string room;
    const std::string_view text = theme().drawable_text(type, words, room);
    ImFont* font = theme().font(type);
    // Rounded up, so that a mono number and the label beside it share a baseline.
    position.y += std::ceil((theme().line_height(type) - font_size(*font)) / 2);
    draw_glyphs(list, font, position, with_style_alpha(color), text);
}

void draw_glyphs(ImDrawList* list, ImFont* font, glm::vec2 position, ImU32 color, std::string_view text,
                 float wrap) {
    list->AddText(font, font_size(*font), position, color, text.data(), text_end(text), wrap);
    if (!records_drawn_texts()) return;
    const glm::vec2 size = font->CalcTextSizeA(font_size(*font), FLT_MAX, wrap, text.data(), text_end(text));
    add_drawn_text(text, {position, position + size}, {list->GetClipRectMin(), list->GetClipRectMax()});
}

void draw_text_right(ImDrawList* list, TextStyle type, glm::vec2 top_right, ImU32 color,
                     std::string_view text) {
    draw_text(list, type, {std::round(top_right.x - text_size(type, text).x), top_right.y}, color, text);
}

void text(TextStyle type, ImU32 color, std::string_view words) {
    const glm::vec2 position = ImGui::GetCursorScreenPos();
    const glm::vec2 size = text_size(type, words);
    advance_cursor(size);
    if (!add_item({position, position + size}, 0)) return;
    glm::vec2 at = position;
    for (const std::string_view line : split(words, '\n')) {
        draw_text(ImGui::GetWindowDrawList(), type, at, color, line);
        at.y += theme().line_height(type);
    }
}

void text_wrapped(TextStyle type, ImU32 color, std::string_view text, float width) {
    std::string room;
    const std::string_view words = theme().drawable_text(type, text, room);
    const glm::vec2 position = ImGui::GetCursorScreenPos();
    const float wrap = width > 0 ? width : content_width();
    const float line = theme().line_height(type);
    glm::vec2 size(0, 0);
    ImDrawList* list = ImGui::GetWindowDrawList();
    for_each_wrapped_line(*theme().font(type), words, wrap, [&](std::string_view part) {
        const glm::vec2 at(position.x, position.y + size.y);
        if (ImGui::IsRectVisible(at, at + glm::vec2(wrap, line))) draw_text(list, type, at, color, part);
        size.x = std::max(size.x, text_width(*theme().font(type), part));
        size.y += line;
    });
    advance_cursor(size);
    add_item({position, position + size}, 0);
}

void named_text(std::string_view id, TextStyle type, ImU32 color, std::string_view words,
                std::string_view value, float width) {
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    text_wrapped(type, color, words, width);
    register_widget(id, "text", start, ImGui::GetItemRectMax(), value.empty() ? words : value);
}

void named_line(std::string_view id, TextStyle type, glm::vec2 position, ImU32 color, std::string_view words,
                std::string_view value) {
    draw_text(ImGui::GetWindowDrawList(), type, position, color, words);
    register_widget(id, "text", position, position + text_size(type, words), value.empty() ? words : value);
}

NamedBlock::NamedBlock(std::string_view id, std::string_view value)
    : id_(id), value_(value), start_(ImGui::GetCursorScreenPos()), width_(content_width()) {}
NamedBlock::~NamedBlock() {
    register_widget(id_, "text", start_, {start_.x + width_, ImGui::GetCursorScreenPos().y}, value_);
}

std::string elide(TextStyle type, std::string_view words, float width) {
    ImFont& font = *theme().font(type);
    std::string text_buffer, ellipsis_buffer;
    const std::string_view text = theme().drawable_text(type, words, text_buffer);
    if (text_width(font, text) <= width) return std::string(text);
    const std::string_view ellipsis = theme().drawable_text(type, "…", ellipsis_buffer);
    const float room = width - text_width(font, ellipsis);
    const char* fits = text.data();
    if (room > 0) font.CalcTextSizeA(font_size(font), room, 0, text.data(), text_end(text), &fits);
    std::string_view prefix(text.data(), static_cast<std::size_t>(fits - text.data()));
    while (!prefix.empty() && prefix.back() == ' ')
        prefix.remove_suffix(1);
    return std::string(prefix) + std::string(ellipsis);
}

std::string elide_front(TextStyle type, std::string text, float width) {
    if (text_size(type, text).x <= width) return text;
    while (!text.empty() && text_size(type, "…" + text).x > width) {
        do
            text.erase(0, 1);
        while (!text.empty() && is_continuation_byte(text.front()));
    }
    return "…" + text;
}

std::string longest_fitting_text(TextStyle type, const std::vector<std::string>& forms, float width) {
    const auto fits = [&](const std::string& form) { return text_size(type, form).x <= width; };
    const auto found = std::ranges::find_if(forms, fits);
    return found == forms.end() ? std::string() : *found;
}

namespace {

/// Capitals, except for units: "µs" in capitals would be another unit.
std::string to_capitals(std::string_view text) {
    static constexpr std::array<std::string_view, 10> units = {"µs",  "ms",  "ns", "s",    "KiB",
                                                               "MiB", "GiB", "kB", "GB/s", "MB/s"};
    std::string out;
    for (const std::string_view word : split(text, ' ')) {
        const bool is_unit = std::ranges::find(units, word) != units.end();
        for (const char c : word) {
            const auto byte = static_cast<unsigned char>(c);
            const auto before = static_cast<unsigned char>(out.empty() ? 0 : out.back());
            out += c;
            if (is_unit) continue;
            if ((c >= 'a' && c <= 'z') ||
                (before == 0xC3 && byte >= 0xA0 && byte <= 0xBE && byte != 0xB7))  // à … þ, without ÷
                out.back() = static_cast<char>(byte - 0x20);
            if (before == 0xC5 && byte == 0x93) --out.back();  // œ
        }
        out += ' ';
    }
    out.pop_back();
    return out;
}

}  // namespace

void section_label(std::string_view words) {
    text(TextStyle::note_strong, theme().palette().quiet, to_capitals(words));
}

}  // namespace gridstride::ui

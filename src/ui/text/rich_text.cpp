#include "ui/text/rich_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "base/text.h"
#include "story/glossary.h"
#include "ui/widgets/frame_cache.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr float code_padding = 4;
constexpr std::string_view term_link = "term:";
constexpr float slant = 0.2f;  // of emphasised text: x per y

TextStyle font_type(Style style, TextStyle type) {
    if (style == Style::code) return TextStyle::mono;
    if (style == Style::strong && type == TextStyle::body) return TextStyle::body_strong;
    if (style == Style::strong && type == TextStyle::note) return TextStyle::note_strong;
    return type;
}

Style span_style(const Span& span) {
    if (span.code) return Style::code;
    if (span.is_strong) return Style::strong;
    return span.emphasis ? Style::emphasis : Style::plain;
}

/// A part of a word with one style: the word "`sums[lane]`," is a code span and a comma.
struct WordPart {
    std::string_view text;
    Style style;
    float width;
    std::string_view link;
};

class LayoutBuilder {
 public:
    LayoutBuilder(TextStyle type, float width) : type_(type), max_width_(width) {}

    TextLayout set(const Spans& spans) {
        for (const Span& span : spans) {
            const Style style = span_style(span);
            std::string_view rest =
                theme().drawable_text(font_type(style, type_), span.text, text_storage_.emplace_back());
            while (!rest.empty()) {
                if (rest.front() == ' ' || rest.front() == '\n') {
                    end_word();
                    space_ = true;
                    space_in_code_ = style == Style::code;
                    rest.remove_prefix(1);
                    continue;
                }
                const std::size_t end = std::min(rest.find_first_of(" \n"), rest.size());
                word_.push_back(
                    {rest.substr(0, end), style, width_of(rest.substr(0, end), style), span.link});
                rest.remove_prefix(end);
            }
        }
        end_word();
        out_.lines = out_.runs.empty() ? 0 : line_ + 1;
        return std::move(out_);
    }

 private:
    float width_of(std::string_view text, Style style) const {
        return text_size(font_type(style, type_), text).x;
    }

    /// Returns the padding of a code part: at its end, and at its beginning unless code precedes it.
    float outer_padding(std::size_t part) const {
        if (word_[part].style != Style::code) return 0;
        const bool before = part > 0 && word_[part - 1].style == Style::code;
        return theme().px(code_padding) * (before ? 1.0f : 2.0f);
    }

    void end_word() {
        if (word_.empty()) return;
        float width = 0;
        for (std::size_t i = 0; i < word_.size(); ++i)
            width += word_[i].width + outer_padding(i);
        out_.max_width = std::max(out_.max_width, width);
        // A space inside code has the width of the code font.
        const bool joined = space_in_code_ && word_.front().style == Style::code &&
                            continues(Style::code, word_.front().link);
        const float space = space_ && x_ > 0 ? width_of(" ", joined ? Style::code : Style::plain) : 0;
        const float before = joined ? space - 2 * theme().px(code_padding) : space;
        if (x_ > 0 && x_ + before + width > max_width_ + 0.5f) {
            new_line();
            place_word(0, false);
        } else {
            place_word(before, joined);
        }
        word_.clear();
        space_ = space_in_code_ = false;
    }

    bool continues(Style style, std::string_view link) const {
        return !out_.runs.empty() && out_.runs.back().style == style && out_.runs.back().line == line_ &&
               out_.runs.back().link == link;
    }

    void place_word(float before, bool is_joined) {
        x_ += before;
        for (const WordPart& part : word_) {
            const float padding = part.style == Style::code ? theme().px(code_padding) : 0;
            std::string_view text = part.text;
            while (x_ + part.width + 2 * padding > max_width_ + 0.5f && !text.empty()) {
                ImFont* font = theme().font(font_type(part.style, type_));
                const float room = std::max(max_width_ - x_ - 2 * padding, 0.0f);
                const char* fits = text.data();
                const char* const end = text.data() + text.size();
                const float line_width =
                    font->CalcTextSizeA(font_size(*font), room, 0, text.data(), end, &fits).x;
                auto count = static_cast<std::size_t>(fits - text.data());
                if (count >= text.size()) break;
                if (count == 0 && x_ > 0) {
                    new_line();
                    continue;
                }
                if (count == 0) count = first_characters(text, 1).size();
                add(text.substr(0, count), part, line_width, padding, false);
                text.remove_prefix(count);
                if (!text.empty()) new_line();
            }
            if (!text.empty()) add(text, part, width_of(text, part.style), padding, is_joined);
            is_joined = false;
        }
    }

    /// is_joined: the code box of the previous word continues across the space.
    void add(std::string_view text, const WordPart& part, float width, float padding, bool is_joined) {
        const Style style = part.style;
        const float from = x_ + padding;
        x_ = from + width + padding;
        out_.width = std::max(out_.width, x_);
        if (continues(style, part.link) && (is_joined || padding == 0)) {
            TextRun& last = out_.runs.back();
            // Neighbours of one style become one run: fewer calls, and spaces of the font's width.
            const float space = width_of(" ", style);
            const float gap = from - (last.x + last.width);
            if (is_joined || std::fabs(gap) < 0.01f || std::fabs(gap - space) < 0.01f) {
                if (gap > 0.02f) last.text += ' ';
                last.text += text;
                last.width = from + width - last.x;
                return;
            }
        }
        out_.runs.push_back({std::string(text), style, std::string(part.link), from, width, line_});
    }

    void new_line() {
        ++line_;
        x_ = 0;
    }

    TextStyle type_;
    float max_width_;
    TextLayout out_;
    std::vector<WordPart> word_;
    std::deque<std::string> text_storage_;  ///< storage of word_'s texts that differ from the span's
    bool space_ = false, space_in_code_ = false;
    float x_ = 0;
    int line_ = 0;
};

/// Draws italic text by shearing the vertices of the upright font about the base line: no slanted font is
/// loaded.
void draw_slanted(ImDrawList* list, ImFont* font, glm::vec2 position, ImU32 color, const std::string& text) {
    const int first = list->VtxBuffer.Size;
    draw_glyphs(list, font, position, color, text);
    const float base = position.y + font_ascent(*font);
    for (int i = first; i < list->VtxBuffer.Size; ++i)
        list->VtxBuffer[i].pos.x += (base - list->VtxBuffer[i].pos.y) * slant;
}

float layout_height(const TextLayout& layout, TextStyle type) {
    return static_cast<float>(layout.lines) * theme().line_height(type);
}

struct LinkState {
    std::string id;
    std::size_t count = 0;
    std::optional<std::string> pressed;
    std::function<std::string(std::string_view)> find_meaning;  ///< of terms; null: after begin_links()
};
LinkState& link_state() {
    static LinkState link_state;
    return link_state;
}

/// Handles a run that is a link or a term, as a Tab stop. Returns its colour.
ImU32 link_color(const TextRun& run, const Rect& rect, const std::string& meaning, ImU32 color) {
    LinkState& now = link_state();
    const std::string id = fmt::format("{}.{}", now.id, ++now.count);
    const bool is_term = !meaning.empty();
    const Item item = interact(id, {is_term ? "term" : "link", is_term ? meaning : run.text}, rect);
    if (item.is_focused) draw_focus_ring(rect, theme().px(3));
    if (is_term) {
        if (item.is_focused || item.was_clicked)
            show_tooltip(rect, meaning);
        else
            show_delayed_tooltip(item, make_widget_id(id), meaning);
        return color;
    }
    if (item.was_clicked) now.pressed = run.link;
    if (item.is_hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const Palette& palette = theme().palette();
    return item.is_hovered ? palette.text : theme().text_color(palette.action);
}

void underline(ImDrawList* list, float left, float right, float y, bool dotted, ImU32 color) {
    if (!dotted) return list->AddRectFilled(glm::vec2(left, y), glm::vec2(right, y + 1), color);
    const float dot = std::max(1.0f, std::round(theme().px(1)));
    for (float x = left; x < right; x += 3 * dot)
        list->AddRectFilled(glm::vec2(x, y), glm::vec2(std::min(x + 2 * dot, right), y + dot), color);
}

void draw_layout(ImDrawList* list, const TextLayout& layout, TextStyle type, glm::vec2 position,
                 ImU32 color) {
    const Theme& t = theme();
    const float line_height = t.line_height(type);
    const glm::vec2 clip_min = list->GetClipRectMin(), clip_max = list->GetClipRectMax();
    for (const TextRun& run : layout.runs) {
        const float line = position.y + static_cast<float>(run.line) * line_height;
        // A link out of sight is a Tab stop, too.
        const bool terms = link_state().find_meaning != nullptr;
        const std::string meaning = terms && run.link.starts_with(term_link)
                                        ? link_state().find_meaning(run.link.substr(term_link.size()))
                                        : std::string();
        const bool is_link = !run.link.empty() && !link_state().id.empty() && (!terms || !meaning.empty());
        const float left = std::round(position.x + run.x), right = left + std::ceil(run.width);
        const ImU32 color_role =
            is_link ? link_color(run, {glm::vec2(left, line), glm::vec2(right, line + line_height)}, meaning,
                                 color)
                    : color;
        if (line > clip_max.y || line + line_height < clip_min.y) continue;
        ImFont* font = t.font(font_type(run.style, type));
        const glm::vec2 at(left, std::round(line + baseline(type) - std::round(font_ascent(*font))));
        if (run.style == Style::code) {
            const float padding = t.px(code_padding), height = font_size(*font) + t.px(4);
            const float box = std::round(line + (line_height - height) / 2);
            // Translucent, so that it suits panels, cards and buttons.
            list->AddRectFilled(glm::vec2(at.x - padding, box),
                                glm::vec2(at.x + std::ceil(run.width) + padding, box + std::round(height)),
                                with_alpha(t.palette().text, 0.08f), t.px(4));
        }
        if (is_link)
            underline(list, at.x, right, std::round(line + baseline(type)) + 2, terms,
                      terms ? mix(t.palette().panel, color_role, 0.6f) : color_role);
        if (run.style == Style::emphasis)
            draw_slanted(list, font, at, color_role, run.text);
        else
            draw_glyphs(list, font, at, color_role, run.text);
    }
}

/// Returns true for a number, with or without sign and unit. Columns of numbers are aligned right.
bool is_number(const Spans& cell) {
    if (cell.empty()) return false;
    std::string_view text = cell.front().text;
    for (const std::string_view sign : {"-", "\u2212", "+", "\u00b1", "~", "\u2248"})
        if (text.starts_with(sign)) text.remove_prefix(sign.size());
    if (text.empty() || text.front() < '0' || text.front() > '9') return false;
    // "2 or more" and "1 and 2" are words; "21.4 µs" is a number.
    std::size_t words = 0;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        if (text[i] != ' ') continue;
        const bool is_digit = text[i + 1] >= '0' && text[i + 1] <= '9';
        if (is_digit && words > 0) return false;
        if (!is_digit) ++words;
    }
    return cell.size() == 1 && words <= 1 && text.size() <= 24;
}

constexpr float between_columns = 12;

}  // namespace

/// Like the table layout of browsers: each column gets its minimum width, and the remaining width is
/// distributed in proportion to the difference between preferred and minimum width.
TableLayout lay_out_table(const TableBlock& table, float width) {
    TableLayout plan;
    std::size_t columns = table.header.size();
    for (const std::vector<Spans>& row : table.rows)
        columns = std::max(columns, row.size());
    if (columns == 0) return plan;
    const float gap = theme().px(between_columns);
    std::vector<float> minimum(columns, theme().px(16)), preferred(columns, 0);
    plan.right.assign(columns, !table.rows.empty());
    constexpr float no_limit = 1e6f;
    const auto measure = [&](const std::vector<Spans>& row, TextStyle type) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            const TextLayout& layout = get_layout(row[c], type, no_limit);
            minimum[c] = std::max(minimum[c], std::ceil(is_number(row[c]) ? layout.width : layout.max_width));
            preferred[c] = std::max(preferred[c], std::ceil(layout.width));
        }
    };
    measure(table.header, TextStyle::note_strong);
    for (const std::vector<Spans>& row : table.rows) {
        measure(row, TextStyle::note);
        for (std::size_t c = 0; c < columns; ++c)
            if (c < row.size() && !row[c].empty() && !is_number(row[c])) plan.right[c] = false;
    }
    const float room = width - gap * static_cast<float>(columns - 1);
    float sum_min = 0, sum_preferred = 0;
    for (std::size_t c = 0; c < columns; ++c) {
        preferred[c] = std::max(preferred[c], minimum[c]);
        sum_min += minimum[c];
        sum_preferred += preferred[c];
    }
    if (sum_min > room) return plan;
    for (std::size_t c = 0; c < columns; ++c) {
        if (sum_preferred <= room || sum_preferred <= sum_min)
            plan.widths.push_back(preferred[c]);
        else
            plan.widths.push_back(std::floor(minimum[c] + (room - sum_min) * (preferred[c] - minimum[c]) /
                                                              (sum_preferred - sum_min)));
    }
    return plan;
}

namespace {

/// Makes spaces between thousands, and between a number and its unit, non-breaking: "1 024", "51.1 µs".
std::string with_fixed_spaces(std::string_view text) {
    static constexpr std::string_view units[] = {"%",   "ns",  "µs",  "ms",   "s",    "B",    "kB",
                                                 "KiB", "MiB", "GiB", "MB/s", "GB/s", "TB/s", "MHz"};
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != ' ' || i == 0 || !is_digit(text[i - 1])) {
            out += text[i];
            continue;
        }
        std::string_view next = text.substr(i + 1);
        next = next.substr(0, next.find_first_of(" ,;:)"));
        while (next.size() > 1 && (next.back() == '.' || next.back() == '?'))
            next.remove_suffix(1);
        const bool thousands = next.size() == 3 && std::ranges::all_of(next, is_digit);
        out += thousands || std::ranges::find(units, next) != std::end(units) ? "\u00a0" : " ";
    }
    return out;
}

}  // namespace

const TextLayout& get_layout(const Spans& spans, TextStyle type, float width) {
    static FrameCache<TextLayout> layouts;
    // The scale is part of the key because the fonts depend on it.
    std::string key = fmt::format("{} {} {}", static_cast<int>(type), theme().scale(), std::lround(width));
    for (const Span& span : spans) {
        key += static_cast<char>(1 + static_cast<int>(span_style(span)));  // no text has these characters
        key += span.text;
        if (!span.link.empty()) key += '\x07' + span.link;
    }
    return layouts.get(key, [&] {
        Spans whole = spans;
        for (Span& span : whole) {
            // From here on a term is identified by its link, even if its words are broken into several runs.
            if (const std::string_view term = linked_term(span); !term.empty())
                span.link = fmt::format("{}{}", term_link, term);
            span.text = with_fixed_spaces(span.text);
        }
        return LayoutBuilder(type, std::max(width, 1.0f)).set(whole);
    });
}

void begin_links(std::string_view id) {
    link_state() = {std::string(id), 0, std::nullopt, nullptr};
}

void begin_terms(std::string_view id, std::function<std::string(std::string_view)> find_meaning) {
    link_state() = {std::string(id), 0, std::nullopt, std::move(find_meaning)};
}

std::optional<std::string> take_pressed_link() {
    return std::exchange(link_state().pressed, std::nullopt);
}

void draw_spans(const Spans& spans, TextStyle type, float width, std::optional<ImU32> color) {
    const glm::vec2 position = ImGui::GetCursorScreenPos();
    const TextLayout& layout = get_layout(spans, type, width > 0 ? width : content_width());
    draw_layout(ImGui::GetWindowDrawList(), layout, type, position, color.value_or(theme().palette().text));
    ImGui::Dummy(glm::vec2(std::ceil(layout.width), layout_height(layout, type)));
}

float spans_height(const Spans& spans, TextStyle type, float width) {
    return layout_height(get_layout(spans, type, width), type);
}

void draw_list(const ListBlock& block, float wanted_width) {
    const Theme& t = theme();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const glm::vec2 position = ImGui::GetCursorScreenPos();
    const float width = wanted_width > 0 ? wanted_width : content_width();
    const float line = t.line_height(TextStyle::body), gap = t.px(4);
    float indent = t.px(20);
    const auto number_of = [&](std::size_t item) { return fmt::format("{}.", *block.first + item); };
    if (block.first && !block.items.empty())
        indent = std::max(
            indent, std::ceil(text_size(TextStyle::body, number_of(block.items.size() - 1)).x) + t.px(8));
    glm::vec2 at = position;
    for (std::size_t i = 0; i < block.items.size(); ++i) {
        if (i > 0) at.y += gap;
        const TextLayout& layout =
            get_layout(block.items[i], TextStyle::body, std::max(1.0f, width - indent));
        if (block.first) {
            draw_text_right(list, TextStyle::body, glm::vec2(at.x + indent - t.px(8), at.y),
                            t.palette().quiet, number_of(i));
        } else {
            const float r = t.px(2.5f);
            list->AddCircleFilled(glm::vec2(at.x + t.px(8), std::round(at.y + line / 2) + 0.5f), r,
                                  t.palette().quiet, 12);
        }
        draw_layout(list, layout, TextStyle::body, glm::vec2(at.x + indent, at.y), t.palette().text);
        at.y += std::max(line, layout_height(layout, TextStyle::body));
    }
    ImGui::Dummy(glm::vec2(width, at.y - position.y));
}

namespace {

void draw_table_as_list(const TableBlock& table, float width) {
    const Theme& t = theme();
    const float indent = t.px(12);
    for (const std::vector<Spans>& row : table.rows) {
        if (row.empty()) continue;
        draw_spans(row.front(), TextStyle::note_strong, width);
        for (std::size_t c = 1; c < row.size(); ++c) {
            Spans line = c < table.header.size() ? table.header[c] : Spans{};
            if (!line.empty()) line.push_back({tr(": ")});
            line.insert(line.end(), row[c].begin(), row[c].end());
            const glm::vec2 at = ImGui::GetCursorScreenPos();
            set_cursor({at.x + indent, at.y});
            draw_spans(line, TextStyle::note, std::max(1.0f, width - indent));
        }
        gap(8);
    }
}

}  // namespace

void draw_table(const TableBlock& table, float wanted_width) {
    const Theme& t = theme();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const glm::vec2 position = ImGui::GetCursorScreenPos();
    const float width = wanted_width > 0 ? wanted_width : content_width();
    const float gap = t.px(between_columns), padding = t.px(6);
    const TableLayout plan = lay_out_table(table, width);
    if (plan.widths.empty()) return draw_table_as_list(table, width);
    float full = gap * static_cast<float>(plan.widths.size() - 1);
    for (const float w : plan.widths)
        full += w;
    full = std::min(full, width);
    float y = position.y;
    const float thickness = std::max(1.0f, std::floor(t.scale()));
    const auto draw_row = [&](const std::vector<Spans>& row, TextStyle type, ImU32 color, bool strong_line) {
        float height = t.line_height(type), x = position.x;
        for (std::size_t c = 0; c < row.size(); ++c)
            height = std::max(height, layout_height(get_layout(row[c], type, plan.widths[c]), type));
        y += padding;
        for (std::size_t c = 0; c < row.size(); ++c) {
            const TextLayout& layout = get_layout(row[c], type, plan.widths[c]);
            const float shift = plan.right[c] ? std::max(0.0f, plan.widths[c] - layout.width) : 0;
            draw_layout(list, layout, type, glm::vec2(x + shift, y), color);
            x += plan.widths[c] + gap;
        }
        y += height + padding;
        list->AddRectFilled(glm::vec2(position.x, std::round(y)),
                            glm::vec2(position.x + full, std::round(y) + thickness),
                            strong_line ? mix(t.palette().line, t.palette().quiet, 0.45f) : t.palette().line);
        y = std::round(y) + thickness;
    };
    if (!table.header.empty()) draw_row(table.header, TextStyle::note_strong, t.palette().quiet, true);
    for (const std::vector<Spans>& row : table.rows)
        draw_row(row, TextStyle::note, t.palette().text, false);
    ImGui::Dummy(glm::vec2(full, y - position.y));
}

}  // namespace gridstride::ui

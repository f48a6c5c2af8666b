#include "ui/text/text_layout.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "ui/widgets/frame_cache.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

std::size_t made = 0;

constexpr float code_padding = 4;
constexpr float slant = 0.2f;  // of emphasised text: x for each y

struct SizedFont {
    ImFont* font;
    float size;
};

SizedFont face_of(Style style, Type type) {
    const Theme& t = theme();
    const bool small = type == Type::note || type == Type::note_strong;
    Type shown = type;
    if (style == Style::strong && (type == Type::body || type == Type::note))
        shown = small ? Type::note_strong : Type::body_strong;
    if (style == Style::code) shown = Type::mono;
    ImFont* font = t.font(shown);
    return {font, font->FontSize};
}

float width_of(SizedFont face, std::string_view text) {
    return face.font->CalcTextSizeA(face.size, FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

Style style_of(const Span& span) {
    if (span.code) return Style::code;
    if (span.strong) return Style::strong;
    return span.emphasis ? Style::emphasis : Style::plain;
}

/// What stands together without a space: "`sums[lane]`," is a code span and a comma.
struct Part {
    std::string_view text;
    Style style;
    float width;
};

class Setter {
 public:
    Setter(Type type, float width) : type_(type), limit_(width) {}

    TextLayout set(const Spans& spans) {
        for (const Span& span : spans) {
            const Style style = style_of(span);
            std::string_view rest = span.text;
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
                    {rest.substr(0, end), style, width_of(face_of(style, type_), rest.substr(0, end))});
                rest.remove_prefix(end);
            }
        }
        end_word();
        out_.lines = out_.runs.empty() ? 0 : line_ + 1;
        return std::move(out_);
    }

 private:
    /// Padding of code where it begins and ends.
    float outer(std::size_t part) const {
        if (word_[part].style != Style::code) return 0;
        const bool before = part > 0 && word_[part - 1].style == Style::code;
        return theme().px(code_padding) * (before ? 1.0f : 2.0f);
    }

    void end_word() {
        if (word_.empty()) return;
        float width = 0;
        for (std::size_t i = 0; i < word_.size(); ++i)
            width += word_[i].width + outer(i);
        out_.longest = std::max(out_.longest, width);
        // The space belongs to the style around it: inside code it is as wide as code's.
        const bool joined = space_in_code_ && word_.front().style == Style::code && continues_code();
        const float space =
            space_ && x_ > 0 ? width_of(face_of(joined ? Style::code : Style::plain, type_), " ") : 0;
        const float before = joined ? space - 2 * theme().px(code_padding) : space;
        if (x_ > 0 && x_ + before + width > limit_ + 0.5f) {
            new_line();
            place_word(0, false);
        } else {
            place_word(before, joined && x_ > 0);
        }
        word_.clear();
        space_ = space_in_code_ = false;
    }

    bool continues_code() const {
        return !out_.runs.empty() && out_.runs.back().style == Style::code && out_.runs.back().line == line_;
    }

    void place_word(float before, bool joined) {
        x_ += before;
        for (const Part& part : word_) {
            const float padding = part.style == Style::code ? theme().px(code_padding) : 0;
            std::string_view text = part.text;
            // A word longer than the line is broken where it must.
            while (x_ + part.width + 2 * padding > limit_ + 0.5f && !text.empty()) {
                const SizedFont face = face_of(part.style, type_);
                const float room = std::max(limit_ - x_ - 2 * padding, 0.0f);
                const char* fits = text.data();
                const float taken =
                    face.font
                        ->CalcTextSizeA(face.size, room, 0, text.data(), text.data() + text.size(), &fits)
                        .x;
                auto count = static_cast<std::size_t>(fits - text.data());
                if (count >= text.size()) break;
                if (count == 0 && x_ > 0) {
                    new_line();
                    continue;
                }
                if (count == 0) count = first_characters(text, 1).size();
                add(text.substr(0, count), part.style, taken, padding);
                text.remove_prefix(count);
                if (!text.empty()) new_line();
            }
            if (text.empty()) continue;
            const float width =
                text.size() == part.text.size() ? part.width : width_of(face_of(part.style, type_), text);
            if (joined && part.style == Style::code) {
                // The same box goes on over the space.
                TextRun& run = out_.runs.back();
                const float end = x_ + padding + width;
                run.text += ' ';
                run.text += text;
                run.width = end - run.x;
                x_ = end + padding;
                out_.width = std::max(out_.width, x_);
                joined = false;
                continue;
            }
            joined = false;
            add(text, part.style, width, padding);
        }
    }

    void add(std::string_view text, Style style, float width, float padding) {
        if (!out_.runs.empty() && out_.runs.back().line == line_ && out_.runs.back().style == style &&
            padding == 0) {
            TextRun& last = out_.runs.back();
            // Neighbours of one style are one run: fewer calls, and the font's own space between the words.
            const float space = width_of(face_of(style, type_), " ");
            const float gap = x_ - (last.x + last.width);
            if (std::fabs(gap) < 0.01f || std::fabs(gap - space) < 0.01f) {
                if (gap > 0.02f) last.text += ' ';
                last.text += text;
                last.width = x_ + width - last.x;
                x_ += width;
                out_.width = std::max(out_.width, x_);
                return;
            }
        }
        out_.runs.push_back({std::string(text), style, x_ + padding, width, line_});
        x_ += width + 2 * padding;
        out_.width = std::max(out_.width, x_);
    }

    void new_line() {
        ++line_;
        x_ = 0;
    }

    Type type_;
    float limit_;
    TextLayout out_;
    std::vector<Part> word_;
    bool space_ = false, space_in_code_ = false;
    float x_ = 0;
    int line_ = 0;
};

FrameCache<TextLayout>& text_layouts() {
    static FrameCache<TextLayout> layouts;
    return layouts;
}

/// No slanted face is loaded: the upright one's vertices are moved instead, around the base line.
void slanted(ImDrawList* list, SizedFont face, glm::vec2 position, ImU32 color, const std::string& text) {
    const int first = list->VtxBuffer.Size;
    list->AddText(face.font, face.size, position, color, text.data(), text.data() + text.size());
    const float base = position.y + face.font->Ascent * face.size / face.font->FontSize;
    for (int i = first; i < list->VtxBuffer.Size; ++i)
        list->VtxBuffer[i].pos.x += (base - list->VtxBuffer[i].pos.y) * slant;
}

}  // namespace

std::size_t layouts_made() {
    return made;
}

std::uint64_t text_hash(std::uint64_t seed, std::string_view text) {
    std::uint64_t hash = seed ^ 0xCBF29CE484222325u;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;  // FNV-1a
    return hash ^ (hash >> 31);
}

std::uint64_t font_hash(Type type) {
    const Theme& t = theme();
    std::uint64_t hash = static_cast<std::uint64_t>(type) + 1;
    for (const Type each : {type, Type::body_strong, Type::note_strong, Type::mono}) {
        hash = hash * 0x9E3779B97F4A7C15u + reinterpret_cast<std::uintptr_t>(t.font(each));
        hash =
            hash * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(std::lround(t.font(each)->FontSize * 64));
    }
    return hash * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(std::lround(t.scale() * 1000));
}

const TextLayout& layout_of(const Spans& spans, Type type, float width) {
    std::uint64_t key =
        font_hash(type) + static_cast<std::uint64_t>(std::lround(width)) * 0x9E3779B97F4A7C15u;
    for (const Span& span : spans)
        key = text_hash(key * 31 + static_cast<std::uint64_t>(style_of(span)), span.text);
    return text_layouts().get(key, [&] {
        ++made;
        return Setter(type, std::max(width, 1.0f)).set(spans);
    });
}

float layout_height(const TextLayout& layout, Type type) {
    return static_cast<float>(layout.lines) * theme().line_height(type);
}

void draw_layout(ImDrawList* list, const TextLayout& layout, Type type, glm::vec2 position, ImU32 color) {
    const Theme& t = theme();
    const float line_height = t.line_height(type);
    const SizedFont plain = face_of(Style::plain, type);
    const float top = std::ceil((line_height - plain.size) / 2);
    const float base = top + std::round(plain.font->Ascent * plain.size / plain.font->FontSize);
    const glm::vec2 clip_min = list->GetClipRectMin(), clip_max = list->GetClipRectMax();
    for (const TextRun& run : layout.runs) {
        const float line = position.y + static_cast<float>(run.line) * line_height;
        if (line > clip_max.y || line + line_height < clip_min.y) continue;
        const SizedFont face = face_of(run.style, type);
        const float ascent = std::round(face.font->Ascent * face.size / face.font->FontSize);
        const glm::vec2 at(std::round(position.x + run.x), std::round(line + base - ascent));
        if (run.style == Style::code) {
            const float padding = t.px(code_padding), height = face.size + t.px(4);
            const float box = std::round(line + (line_height - height) / 2);
            list->AddRectFilled(glm::vec2(at.x - padding, box),
                                glm::vec2(at.x + std::ceil(run.width) + padding, box + std::round(height)),
                                t.palette().raised, t.px(4));
        }
        if (run.style == Style::emphasis)
            slanted(list, face, at, color, run.text);
        else
            list->AddText(face.font, face.size, at, color, run.text.data(),
                          run.text.data() + run.text.size());
    }
}

}  // namespace gridstride::ui

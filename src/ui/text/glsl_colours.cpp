#include "ui/text/glsl_colours.h"

#include <algorithm>

#include "ui/widgets/theme.h"

namespace gridstride::ui {
namespace {

constexpr auto keywords = std::to_array<std::string_view>({
    "attribute", "break",      "buffer",    "case",      "centroid", "coherent", "const",    "continue",
    "default",   "discard",    "do",        "else",      "false",    "flat",     "for",      "highp",
    "if",        "in",         "inout",     "invariant", "layout",   "lowp",     "mediump",  "noperspective",
    "out",       "precise",    "precision", "readonly",  "restrict", "return",   "shared",   "smooth",
    "struct",    "subroutine", "switch",    "true",      "uniform",  "varying",  "volatile", "while",
    "writeonly",
});

constexpr auto simple_types = std::to_array<std::string_view>({
    "atomic_uint",
    "bool",
    "double",
    "float",
    "float16_t",
    "float32_t",
    "float64_t",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "uint",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "void",
});

constexpr auto type_stems = std::to_array<std::string_view>({
    "vec",    "bvec",   "dvec",   "ivec",    "uvec",     "f16vec",   "i8vec",
    "i16vec", "i64vec", "u8vec",  "u16vec",  "u64vec",   "mat",      "dmat",
    "image",  "iimage", "uimage", "sampler", "isampler", "usampler", "texture",
});

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_identifier_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

template <std::size_t N>
bool contains_word(const std::array<std::string_view, N>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_type(std::string_view word) {
    if (contains_word(simple_types, word)) return true;
    // vec4, mat4x3, image2D: a stem, a digit, and a suffix.
    constexpr std::string_view digits = "123456789";
    for (std::size_t at = word.find_first_of(digits, 1); at != std::string_view::npos;
         at = word.find_first_of(digits, at + 1)) {
        const std::string_view stem = word.substr(0, at), rest = word.substr(at + 1);
        if (contains_word(type_stems, stem)) {
            const bool texture = stem.ends_with("image") || stem.ends_with("sampler") || stem == "texture";
            return texture ? rest.starts_with("D")
                           : rest.empty() || (rest.size() == 2 && rest[0] == 'x' && is_digit(rest[1]));
        }
    }
    return false;
}

class Tokeniser {
 public:
    explicit Tokeniser(std::string_view code) : code_(code) {}

    std::vector<GlslPiece> run() {
        bool line_start = true;  // only white space before: a # begins a preprocessor line
        while (at_ < code_.size()) {
            const char c = code_[at_];
            const std::string_view rest = code_.substr(at_);
            if (c == '\n') {
                take(1, GlslKind::plain);
                line_start = true;
                continue;
            }
            if (rest.starts_with("//")) {
                take_lines(rest.find('\n'), GlslKind::comment);
            } else if (rest.starts_with("/*")) {
                const std::size_t end = rest.find("*/", 2);
                take_lines(end == std::string_view::npos ? end : end + 2, GlslKind::comment);
                continue;  // a comment is white space: a # may still follow
            } else if (c == '#' && line_start) {
                take_lines(preprocessor_length(rest), GlslKind::preprocessor);
            } else if (is_digit(c) || (c == '.' && rest.size() > 1 && is_digit(rest[1]))) {
                take(number_length(rest), GlslKind::number);
            } else if (is_identifier_character(c)) {
                take_word(rest);
            } else {
                take(1, GlslKind::plain);
            }
            if (c != ' ' && c != '\t' && c != '\r') line_start = false;
        }
        return std::move(pieces_);
    }

 private:
    static std::size_t preprocessor_length(std::string_view rest) {
        std::size_t end = rest.find('\n');
        while (end != std::string_view::npos && end > 0 && rest[end - 1] == '\\')
            end = rest.find('\n', end + 1);
        const std::size_t comment = std::min(rest.find("//"), rest.find("/*"));
        return std::min(end, comment);
    }

    static std::size_t number_length(std::string_view rest) {
        std::size_t length = 0;
        const bool hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
        while (length < rest.size()) {
            const char c = rest[length];
            const char before = length > 0 ? rest[length - 1] : ' ';
            const bool exponent_sign =
                (c == '+' || c == '-') && !hexadecimal && (before == 'e' || before == 'E');
            if (!is_identifier_character(c) && c != '.' && !exponent_sign) break;
            ++length;
        }
        return length;
    }

    void take_word(std::string_view rest) {
        std::size_t length = 0;
        while (length < rest.size() && is_identifier_character(rest[length]))
            ++length;
        const std::string_view word = rest.substr(0, length);
        std::size_t next = length;
        while (next < rest.size() && rest[next] == ' ')
            ++next;
        const bool called = next < rest.size() && rest[next] == '(';
        take(length, contains_word(keywords, word) ? GlslKind::keyword
                     : is_type(word)               ? GlslKind::type
                     : called                      ? GlslKind::function
                                                   : GlslKind::plain);
    }

    void take(std::size_t length, GlslKind kind) {
        if (!pieces_.empty() && pieces_.back().kind == kind && code_[at_] != '\n' && code_[at_ - 1] != '\n')
            pieces_.back().length += length;
        else
            pieces_.push_back({at_, length, kind});
        at_ += length;
    }

    void take_lines(std::size_t length, GlslKind kind) {
        length = std::min(length, code_.size() - at_);
        const std::size_t end = at_ + length;
        while (at_ < end) {
            const std::size_t line = std::min(code_.find('\n', at_), end);
            if (line > at_) take(line - at_, kind);
            if (at_ < end) take(1, GlslKind::plain);
        }
    }

    std::string_view code_;
    std::size_t at_ = 0;
    std::vector<GlslPiece> pieces_;
};

}  // namespace

std::vector<GlslPiece> tokenise_glsl(std::string_view code) {
    return Tokeniser(code).run();
}

std::array<ImU32, 7> glsl_colors() {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    return {palette.text,
            t.text_color(palette.download),
            t.text_color(mix(palette.right, palette.text, 0.35f)),
            t.text_color(palette.upload),
            t.text_color(mix(palette.kernel, palette.text, 0.45f)),
            palette.quiet,
            t.text_color(mix(palette.download, palette.quiet, 0.6f))};
}

}  // namespace gridstride::ui

#include "shader/foreign_language.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <span>
#include <vector>

#include "base/text.h"
#include "shader/foreign_keywords.h"

namespace gridstride::shader {

namespace {

/// A word of the source with its context.
struct Token {
    std::string_view text;    ///< "@compute" includes the @
    std::string_view before;  ///< the word before it, if only blanks separate them; else empty
    std::size_t at = 0;
    std::uint32_t line = 1;
};

bool is_word_start(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool is_word_character(char c) {
    return is_word_start(c) || std::isdigit(static_cast<unsigned char>(c));
}

/// Replaces comments and quoted text by blanks, keeping the lines.
std::string without_comments(std::string_view source) {
    std::string code(source);
    const auto blank = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < std::min(to, code.size()); ++i)
            if (code[i] != '\n') code[i] = ' ';
        return std::min(to, code.size());
    };
    for (std::size_t i = 0; i < code.size();) {
        const std::string_view rest = std::string_view(code).substr(i);
        if (rest.starts_with("//"))
            i = blank(i, std::min(code.find('\n', i), code.size()));
        else if (rest.starts_with("/*"))
            i = blank(i, std::min(code.find("*/", i + 2), code.size() - 2) + 2);
        else if (rest.starts_with('"'))
            i = blank(i, std::min(code.find_first_of("\"\n", i + 1), code.size() - 1) + 1);
        else
            ++i;
    }
    return code;
}

std::vector<Token> tokenize(std::string_view code) {
    std::vector<Token> tokens;
    std::uint32_t line = 1;
    std::string_view before;
    for (std::size_t i = 0; i < code.size();) {
        // Inside a word, @ is a typing mistake.
        const bool has_sign = code[i] == '@' && i + 1 < code.size() && is_word_start(code[i + 1]) &&
                              (i == 0 || !is_word_character(code[i - 1]));
        if (is_word_start(code[i]) || has_sign) {
            std::size_t end = i + 1;
            while (end < code.size() && is_word_character(code[end]))
                ++end;
            tokens.push_back({code.substr(i, end - i), before, i, line});
            before = tokens.back().text;
            i = end;
            continue;
        }
        if (std::isdigit(static_cast<unsigned char>(code[i]))) {  // no words in "1u" and "0x1f"
            while (i < code.size() && is_word_character(code[i]))
                ++i;
            before = {};
            continue;
        }
        if (code[i] == '\n') ++line;
        // "#line 7" sets the number of the next line.
        if (constexpr std::string_view directive = "#line "; code.substr(i).starts_with(directive)) {
            const std::size_t from = i + directive.size();
            const std::size_t end = std::min(code.find_first_not_of("0123456789", from), code.size());
            line = parse_number<std::uint32_t>(code.substr(from, end - from)).value_or(line + 1) - 1;
        }
        if (!std::isspace(static_cast<unsigned char>(code[i]))) before = {};
        ++i;
    }
    return tokens;
}

/// Returns true if the word after this one is declared or defined by the source: after a GLSL type or
/// #define.
bool is_declarator(std::string_view word) {
    constexpr std::string_view types[] = {"void", "bool",  "int",   "uint",  "float", "double",
                                          "vec2", "vec3",  "vec4",  "ivec2", "ivec3", "ivec4",
                                          "mat2", "uvec2", "uvec3", "uvec4", "mat3",  "mat4"};
    return word == "define" || std::ranges::find(types, word) != std::end(types);
}

/// Returns, for example, "`blockIdx.x` is `gl_WorkGroupID.x`".
std::string in_glsl(const ForeignKeyword& word, const Token& token, std::string_view code) {
    const std::string_view rest = code.substr(token.at + token.text.size());
    if (word.suffix == Suffix::component) {
        const bool has_one = rest.size() > 1 && rest[0] == '.' && is_word_start(rest[1]);
        const std::string_view part = has_one ? rest.substr(0, 2) : "";
        return fmt::format("`{}{}` is `{}{}`", word.word, part, word.in_glsl, part);
    }
    if (word.suffix == Suffix::dimension) {
        const bool has_one = rest.size() > 2 && rest[0] == '(' && rest[1] >= '0' && rest[1] <= '2';
        return has_one ? fmt::format("`{}{}` is `{}.{}`", word.word, rest.substr(0, 3), word.in_glsl,
                                     "xyz"[rest[1] - '0'])
                       : fmt::format("`{}` is `{}`", word.word, word.in_glsl);
    }
    return fmt::format("`{}` is {}", word.word, word.in_glsl);
}

const ForeignKeyword* find_word(const ForeignLanguage& language, std::string_view text) {
    for (const std::span<const ForeignKeyword> words : {language.words, language.shared_keywords}) {
        const auto found = std::ranges::find(words, text, &ForeignKeyword::word);
        if (found != words.end()) return &*found;
    }
    return nullptr;
}

/// Returns true if the compiler fails at the word: its message names the word or is a syntax error. A word of
/// up to three letters, such as `var`, may be a name that the source forgot to declare.
bool fails_at(std::string_view word, std::string_view failure) {
    const bool may_be_own = word.size() <= 3 && std::ranges::all_of(word, is_word_start);
    if (may_be_own) return false;
    const std::string_view named = word.front() == '@' ? word.substr(0, 1) : word;
    return failure.find(fmt::format("'{}'", named)) != std::string_view::npos ||
           failure.find("syntax error") != std::string_view::npos;
}

/// Translates words of the failing line first, then of other lines, up to a limit.
std::string translation(const ForeignLanguage& language, const std::vector<Token>& tokens,
                        std::string_view code, std::uint32_t line) {
    constexpr std::size_t max_words = 10;
    std::vector<std::string> here, elsewhere;
    for (const bool on_line : {true, false})
        for (const Token& token : tokens) {
            const ForeignKeyword* const word = find_word(language, token.text);
            if (!word || (token.line == line) != on_line || here.size() + elsewhere.size() >= max_words)
                continue;
            std::string translated = in_glsl(*word, token, code);
            const auto is_listed = [&](const std::vector<std::string>& all) {
                return std::ranges::find(all, translated) != all.end();
            };
            if (!is_listed(here) && !is_listed(elsewhere)) (on_line ? here : elsewhere).push_back(translated);
        }
    std::string text;
    if (!here.empty()) text += fmt::format(" On this line {}.", join(here, ", "));
    if (!elsewhere.empty()) text += fmt::format(" On other lines {}.", join(elsewhere, ", "));
    return text;
}

}  // namespace

std::optional<Diagnostic> detect_foreign_language(std::string_view source, const std::string& name,
                                                  std::uint32_t failing_line, std::string_view failure) {
    const std::string code = without_comments(source);
    const std::vector<Token> tokens = tokenize(code);
    std::set<std::string_view> declared_names;
    bool has_glsl = false;  ///< how kernels in no other language begin
    for (const Token& token : tokens) {
        if (is_declarator(token.before)) declared_names.insert(token.text);
        has_glsl |= token.text == "version" || token.text == "layout" ||
                    (token.text == "main" && token.before == "void");
    }
    const ForeignLanguage* likely = nullptr;
    std::size_t max_words = has_glsl ? 1 : 0;  // a language needs more distinctive words than this
    std::uint32_t first_line = 0;
    for (const ForeignLanguage& language : foreign_languages()) {
        std::set<std::string_view> distinctive;
        std::uint32_t line = 0;
        bool fails = false;
        for (const Token& token : tokens) {
            const ForeignKeyword* const word = find_word(language, token.text);
            if (!word || !word->is_distinctive || declared_names.contains(token.text)) continue;
            distinctive.insert(token.text);
            if (line == 0) line = token.line;
            fails |= fails_at(token.text, failure);
        }
        const std::size_t found = distinctive.size() + (fails ? 1 : 0);
        if (found <= max_words) continue;
        max_words = found;
        likely = &language;
        first_line = line;
    }
    if (!likely) return std::nullopt;
    const std::uint32_t line = failing_line > 0 ? failing_line : first_line;
    return Diagnostic{.file = name,
                      .line = line,
                      .text = fmt::format("This looks like {}, but kernels are written in GLSL here.{}",
                                          likely->name, translation(*likely, tokens, code, line))};
}

}  // namespace gridstride::shader

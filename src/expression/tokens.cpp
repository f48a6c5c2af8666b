#include "expression/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "base/units.h"

namespace gridstride::expression {

namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/// Returns the first character as a message shows it; a byte that is not printable UTF-8 as its number.
std::string first_character(std::string_view text) {
    const std::string_view character = first_characters(text, 1);
    if (character != " " && character == printable(character)) return fmt::format("\"{}\"", character);
    return fmt::format("The byte 0x{:02X}", static_cast<unsigned char>(text.front()));
}

/// Says what to write instead of a character that word processors and formulas use.
std::string_view replacement(std::string_view text) {
    constexpr std::pair<std::string_view, std::string_view> replacements[] = {
        {"−", "Write -."},  {"–", "Write -."},
        {"—", "Write -."},  {"×", "Write * between tensors, and x between extents."},
        {"·", "Write *."},  {"÷", "Write /."},
        {"’", "Write '."},  {"′", "Write '."},
        {"“", "Write \"."}, {"”", "Write \"."},
        {"„", "Write \"."}, {"«", "Write \"."},
        {"»", "Write \"."}, {"\u00A0", "Write a plain space."},
    };
    for (const auto& [character, sentence] : replacements)
        if (text.starts_with(character)) return sentence;
    return "Remove it.";
}

class Tokenizer {
 public:
    Tokenizer(std::string_view text, Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) {}

    std::vector<Statement> statements() && {
        std::vector<Statement> all;
        for (; at_ < text_.size(); ++at_, ++line_) {
            Statement statement{.line = line_};
            try {
                do {
                    while (at_ < text_.size() && text_[at_] != '\n')
                        take_token(statement);
                } while (skip_to_kernel(statement));
            } catch (const Refusal& refusal) {
                diagnostics_.add(line_, refusal.what());
                statement.is_malformed = true;
                skip_line();
            }
            if (!statement.tokens.empty() || statement.is_malformed) all.push_back(std::move(statement));
        }
        return all;
    }

 private:
    char next(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    bool is_comment() const { return next() == '/' && next(1) == '/'; }
    void skip_line() {
        while (at_ < text_.size() && text_[at_] != '\n')
            ++at_;
    }

    /// Moves to the { of a kernel if that is the next token, on a later line.
    bool skip_to_kernel(const Statement& statement) {
        if (!statement.has(0, "kernel") || statement.has_kernel) return false;
        const std::size_t next_token = text_.find_first_not_of(" \t\r\n", at_);
        if (next_token == std::string_view::npos || text_[next_token] != '{') return false;
        line_ += static_cast<std::size_t>(std::ranges::count(text_.substr(at_, next_token - at_), '\n'));
        at_ = next_token;
        return true;
    }

    bool is_name_character(std::size_t ahead) const {
        return is_letter(next(ahead)) || is_digit(next(ahead)) || next(ahead) == '_';
    }

    std::size_t symbol_length() const {
        const char c = next();
        if (c == '.' && next(1) == 'T' && !is_name_character(2)) return 2;
        if ((c == '<' || c == '>') && next(1) == c) return 2;
        if (next(1) == '=' && std::string_view("<>=!").find(c) != std::string_view::npos) return 2;
        return std::string_view("+-*/%@'()=,<>&|^").find(c) != std::string_view::npos ? 1 : 0;
    }

    /// Limits the length of a token, because messages quote tokens.
    std::string_view checked_token(std::size_t first, std::size_t end) const {
        constexpr std::size_t max_length = 200;
        if (end - first > max_length)
            throw Refusal(
                fmt::format("A word has {} characters; at most {} are allowed. Write a shorter one.",
                            format_count(end - first), max_length));
        return text_.substr(first, end - first);
    }

    void take_token(Statement& statement) {
        const char c = next();
        if (is_blank(c)) {
            ++at_;
        } else if (is_comment()) {
            skip_line();
        } else if (statement.has_kernel) {
            const std::string_view rest = text_.substr(at_, text_.find('\n', at_) - at_);
            diagnostics_.add(
                line_, fmt::format("Expected the end of the line after the }} of a kernel, but found {}. "
                                   "Put it on a line of its own.",
                                   quote_text(trim(rest))));
            skip_line();
        } else if (is_digit(c) || (c == '.' && is_digit(next(1)))) {
            take_number(statement);
        } else if (is_letter(c)) {
            const std::size_t first = at_;
            while (is_name_character(0) || (next() == '.' && is_letter(next(1))))
                ++at_;
            statement.tokens.push_back({Token::Kind::name, checked_token(first, at_)});
        } else if (c == '"') {
            take_string(statement);
        } else if (c == '{' && statement.has(0, "kernel")) {
            take_kernel(statement);
        } else if (const std::size_t length = symbol_length(); length > 0) {
            statement.tokens.push_back({Token::Kind::symbol, text_.substr(at_, length)});
            at_ += length;
        } else {
            const std::string_view here = text_.substr(at_);
            throw Refusal(fmt::format("{} is not a valid character here. {}", first_character(here),
                                      replacement(here)));
        }
    }

    void take_number(Statement& statement) {
        double number = 0;
        const char* const first = text_.data() + at_;
        const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), number);
        const std::string_view text = checked_token(at_, at_ + static_cast<std::size_t>(end - first));
        if (error != std::errc())
            throw Refusal(fmt::format(
                "{} is out of range. Write a number of magnitude from about 1e-308 to 1e308, or 0.", text));
        at_ += text.size();
        statement.tokens.push_back({Token::Kind::number, text, number});
        // The x in 128x768 is a token of its own.
        if (next() == 'x' && (is_digit(next(1)) || next(1) == 'n'))
            statement.tokens.push_back({Token::Kind::name, text_.substr(at_++, 1)});
    }

    void take_string(Statement& statement) {
        const std::size_t first = ++at_;
        while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n')
            ++at_;
        if (next() != '"') throw Refusal("A quoted name is not closed. End it with a \".");
        statement.tokens.push_back({Token::Kind::string, checked_token(first, at_)});
        ++at_;
    }

    /// Takes the text up to the matching }. Braces in comments are ignored.
    void take_kernel(Statement& statement) {
        statement.first_kernel_line = line_;
        const std::size_t first = ++at_;
        bool in_long_comment = false;
        for (std::size_t depth = 1; at_ < text_.size(); ++at_) {
            if (next() == '\n') ++line_;
            if (in_long_comment) {
                if (next() == '*' && next(1) == '/') in_long_comment = false;
            } else if (is_comment()) {
                skip_line();
                --at_;
            } else if (next() == '/' && next(1) == '*') {
                in_long_comment = true;
                ++at_;
            } else if (next() == '{') {
                ++depth;
            } else if (next() == '}' && --depth == 0) {
                statement.kernel = text_.substr(first, at_++ - first);
                statement.has_kernel = true;
                return;
            }
        }
        line_ = statement.line;
        throw Refusal("This kernel is not closed. Close its { with a }.");
    }

    std::string_view text_;
    Diagnostics& diagnostics_;
    std::size_t at_ = 0, line_ = 1;
};

}  // namespace

void Diagnostics::add(std::size_t line, std::string sentence) {
    all_.push_back({.file = file_, .line = static_cast<std::uint32_t>(line), .text = std::move(sentence)});
}

void Diagnostics::add(Diagnostics others) {
    std::ranges::move(others.all_, std::back_inserter(all_));
}

std::set<std::size_t> Diagnostics::lines() const {
    std::set<std::size_t> lines;
    for (const Diagnostic& one : all_)
        if (one.file == file_) lines.insert(one.line);
    return lines;
}

std::vector<Diagnostic> Diagnostics::sorted_by_line() && {
    std::ranges::stable_sort(all_, {}, &Diagnostic::line);
    return std::move(all_);
}

std::vector<Statement> tokenize(std::string_view text, Diagnostics& diagnostics) {
    return Tokenizer(text, diagnostics).statements();
}

bool TokenReader::is_next(std::string_view text, std::size_t ahead) const {
    if (next_ + ahead >= tokens_.size()) return false;
    const Token& token = tokens_[next_ + ahead];
    return token.kind != Token::Kind::string && token.text == text;
}

bool TokenReader::take_if(std::string_view text) {
    const bool is_here = is_next(text);
    next_ += is_here ? 1 : 0;
    return is_here;
}

void TokenReader::take(std::string_view text) {
    if (!take_if(text)) refuse_next(fmt::format("\"{}\"", text));
}

const Token& TokenReader::take(Token::Kind kind, std::string_view expected) {
    if (!is_next(kind)) refuse_next(expected);
    return tokens_[next_++];
}

std::string TokenReader::take_name(std::string_view expected) {
    return std::string(take(Token::Kind::name, expected).text);
}

std::string TokenReader::take_string(std::string_view expected) {
    return std::string(take(Token::Kind::string, expected).text);
}

double TokenReader::take_number(std::string_view expected) {
    return take(Token::Kind::number, expected).number;
}

void TokenReader::require_end() const {
    if (!is_at_end()) refuse_next("the end of the line");
}

void TokenReader::refuse_next(std::string_view expected) const {
    const std::string_view previous = next_ == 0 ? std::string_view() : tokens_[next_ - 1].text;
    const std::string after = previous.empty() ? "" : fmt::format(" after \"{}\"", printable(previous));
    if (is_at_end()) throw Refusal(fmt::format("Expected {1}{0}, but the line ends.", after, expected));
    throw Refusal(fmt::format("Expected {3}{2}, but found {0}\"{1}\".",
                              is_next(Token::Kind::string) ? "the quoted " : "", printable(next_text()),
                              after, expected));
}

}  // namespace gridstride::expression

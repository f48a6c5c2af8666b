#include "playground/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "base/units.h"

namespace gridstride::lessons::playground {

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

/// The first character, as it stands in a message, whatever bytes the text holds.
std::string shown(std::string_view text) {
    const std::string_view character = first_characters(text, 1);
    if (character != " " && character == printable(character)) return fmt::format("\"{}\"", character);
    return fmt::format("the byte 0x{:02X}", static_cast<unsigned char>(text.front()));
}

/// What a word processor or a formula has in place of a sign of this language.
std::string what_to_write(std::string_view text) {
    constexpr std::pair<std::string_view, std::string_view> meant[] = {
        {"−", "Write -."},  {"–", "Write -."},
        {"—", "Write -."},  {"×", "Write * between tensors, and x between extents."},
        {"·", "Write *."},  {"÷", "Write /."},
        {"’", "Write '."},  {"′", "Write '."},
        {"“", "Write \"."}, {"”", "Write \"."},
        {"„", "Write \"."}, {"«", "Write \"."},
        {"»", "Write \"."}, {"\u00A0", "Write a plain blank."},
    };
    const auto row =
        std::ranges::find_if(meant, [&](const auto& one) { return text.starts_with(one.first); });
    return std::string(row == std::end(meant) ? "Take it out." : row->second);
}

class Lexer {
 public:
    Lexer(std::string_view text, Wrong& wrong) : text_(text), wrong_(wrong) {}

    std::vector<Line> lines() && {
        std::vector<Line> all;
        while (at_ < text_.size()) {
            Line line{.number = line_};
            try {
                do {
                    while (at_ < text_.size() && text_[at_] != '\n')
                        take_word(line);
                } while (goes_to_kernel(line));
            } catch (const Refusal& refused) {
                wrong_.add(line_, refused.what());
                line.is_wrong = true;
                skip_line();
            }
            if (!line.words.empty() || line.is_wrong) all.push_back(std::move(line));
            ++at_;
            ++line_;
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

    /// Where a kernel's { stands in a line below it.
    bool goes_to_kernel(const Line& line) {
        if (line.words.empty() || line.words.front().text != "kernel" || line.has_kernel) return false;
        const std::size_t next_word = text_.find_first_not_of(" \t\r\n", at_);
        if (next_word == std::string_view::npos || text_[next_word] != '{') return false;
        line_ += static_cast<std::size_t>(std::ranges::count(text_.substr(at_, next_word - at_), '\n'));
        at_ = next_word;
        return true;
    }

    /// As messages repeat them, words have an end.
    std::string_view cut(std::size_t first, std::size_t end) const {
        constexpr std::size_t most = 200;
        if (end - first > most)
            throw Refusal(
                fmt::format("A word of {} characters is too long: {} are the most. Write a shorter one.",
                            format_count(end - first), most));
        return text_.substr(first, end - first);
    }

    void take_word(Line& line) {
        const char c = next();
        if (is_blank(c)) {
            ++at_;
        } else if (is_comment()) {
            skip_line();
        } else if (line.has_kernel) {
            const std::string_view rest = text_.substr(at_, text_.find('\n', at_) - at_);
            wrong_.add(line_, fmt::format("There is {} behind the }} of a kernel, where the end of the line "
                                          "should stand. Write it in a line of its own.",
                                          quoted_text(trimmed(rest))));
            skip_line();
        } else if (is_digit(c) || (c == '.' && is_digit(next(1)))) {
            take_number(line);
        } else if (is_letter(c)) {
            const auto goes_on = [&] {
                return is_letter(next()) || is_digit(next()) || next() == '_' ||
                       (next() == '.' && is_letter(next(1)));
            };
            const std::size_t first = at_;
            while (goes_on())
                ++at_;
            line.words.push_back({Word::Kind::name, cut(first, at_)});
        } else if (c == '"') {
            take_quoted(line);
        } else if (c == '{' && !line.words.empty() && line.words.front().text == "kernel") {
            take_kernel(line);
        } else if (std::string_view("+-*/@'()=,").find(c) != std::string_view::npos) {
            line.words.push_back({Word::Kind::sign, text_.substr(at_++, 1)});
        } else {
            const std::string_view here = text_.substr(at_);
            throw Refusal(fmt::format("There is {} here, which is no sign of this language. {}", shown(here),
                                      what_to_write(here)));
        }
    }

    void take_number(Line& line) {
        double number = 0;
        const char* const first = text_.data() + at_;
        const auto [end, error] = std::from_chars(first, text_.data() + text_.size(), number);
        const std::string_view text = cut(at_, at_ + static_cast<std::size_t>(end - first));
        if (error != std::errc())
            throw Refusal(
                fmt::format("{} is too large or too small for a number, whose magnitude is from about 1e-308 "
                            "to 1e308. Write such a one, or 0.",
                            text));
        at_ += text.size();
        line.words.push_back({Word::Kind::number, text, number});
        // The x of 128x768.
        if (next() == 'x' && (is_digit(next(1)) || next(1) == 'n'))
            line.words.push_back({Word::Kind::name, text_.substr(at_++, 1)});
    }

    void take_quoted(Line& line) {
        const std::size_t first = ++at_;
        while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n')
            ++at_;
        if (next() != '"') throw Refusal("A quoted name has no end. Close it with a \".");
        line.words.push_back({Word::Kind::quoted, cut(first, at_)});
        ++at_;
    }

    /// All up to the } that belongs to this {. What is in comments does not count.
    void take_kernel(Line& line) {
        line.first_kernel_line = line_;
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
                line.kernel = text_.substr(first, at_++ - first);
                line.has_kernel = true;
                return;
            }
        }
        line_ = line.number;
        throw Refusal("This kernel has no end. Close its { with a }.");
    }

    std::string_view text_;
    Wrong& wrong_;
    std::size_t at_ = 0, line_ = 1;
};

std::string shown(const Word& word) {
    return fmt::format("{}\"{}\"", word.kind == Word::Kind::quoted ? "the quoted " : "",
                       printable(word.text));
}

}  // namespace

void Wrong::add(std::size_t line, std::string sentence) {
    all_.push_back({.file = file_, .line = static_cast<std::uint32_t>(line), .text = std::move(sentence)});
}

std::vector<Diagnostic> Wrong::by_line() && {
    std::ranges::stable_sort(all_, {}, &Diagnostic::line);
    return std::move(all_);
}

std::vector<Line> lines_of(std::string_view text, Wrong& wrong) {
    return Lexer(text, wrong).lines();
}

bool Cursor::is_next(std::string_view text, std::size_t ahead) const {
    const Word* const word = peek(ahead);
    return word && word->kind != Word::Kind::quoted && word->text == text;
}

bool Cursor::take_if(std::string_view text) {
    const bool is_here = is_next(text);
    next_ += is_here ? 1 : 0;
    return is_here;
}

void Cursor::take(std::string_view text) {
    if (!take_if(text)) refuse_next(fmt::format("\"{}\"", text));
}

std::string Cursor::take_name(std::string_view what) {
    if (at_end() || peek()->kind != Word::Kind::name) refuse_next(what);
    return std::string(words_[next_++].text);
}

std::string Cursor::take_quoted(std::string_view what) {
    if (at_end() || peek()->kind != Word::Kind::quoted) refuse_next(what);
    return std::string(words_[next_++].text);
}

double Cursor::take_number(std::string_view what) {
    if (at_end() || peek()->kind != Word::Kind::number) refuse_next(what);
    return words_[next_++].number;
}

void Cursor::require_end() const {
    if (!at_end()) refuse_next("the end of the line");
}

void Cursor::refuse_next(std::string_view what) const {
    const std::string_view before = next_ == 0 ? std::string_view() : words_[next_ - 1].text;
    const std::string behind = before.empty() ? "" : fmt::format(" behind \"{}\"", before);
    if (at_end()) throw Refusal(fmt::format("The line ends{}, where {} should stand.", behind, what));
    throw Refusal(fmt::format("There is {}{}, where {} should stand.", shown(words_[next_]), behind, what));
}

}  // namespace gridstride::lessons::playground

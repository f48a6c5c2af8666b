#include "readers/separator.h"

#include <algorithm>
#include <vector>

#include "base/record_reader.h"
#include "base/text.h"
#include "readers/number_field.h"

namespace gridstride {
namespace {

using Kind = ParsedNumber::Kind;

std::size_t closing_quote(std::string_view text, std::size_t at) {
    while (true) {
        const std::size_t quote = text.find('"', at + 1);
        if (quote == std::string_view::npos || !text.substr(quote + 1).starts_with('"')) return quote;
        at = quote + 1;
    }
}

/// Calls take(i) for the index of each character outside quotes, until it returns false. A quote opens only
/// at the start of a field (RFC 4180), whichever character separates fields; elsewhere, as in `5" pipe`, it
/// is an ordinary character. Since a blank may be part of a field, a quote after a blank counts only if it is
/// closed on the same line, at the end of a field.
template <class Visit>
void for_each_unquoted(std::string_view text, Visit take) {
    constexpr std::string_view line_ends = "\r\n", separators = ";,\t\r\n", field_ends = " ;,\t\r\n";
    const auto is_any_of = [&](std::size_t i, std::string_view characters) {
        return i >= text.size() || characters.find(text[i]) != std::string_view::npos;
    };
    bool any_closes = true;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (any_closes && text[i] == '"' && is_any_of(i - 1, field_ends)) {
            const std::size_t close = closing_quote(text, i);
            any_closes = close != std::string_view::npos;
            const bool is_quoted =
                any_closes &&
                (is_any_of(i - 1, separators) ||
                 (is_any_of(close + 1, field_ends) &&
                  text.substr(i, close - i).find_first_of(line_ends) == std::string_view::npos));
            if (is_quoted) {
                i = close;
                continue;
            }
        }
        if (!take(i)) return;
    }
}

bool contains_unquoted(std::string_view line, char separator) {
    bool found = false;
    for_each_unquoted(line, [&](std::size_t i) {
        found = line[i] == separator;
        return !found;
    });
    return found;
}

/// Returns the first two lines that are not blank, or fewer.
std::vector<std::string_view> first_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    std::size_t begin = 0;
    const auto take_up_to = [&](std::size_t end) {
        if (const std::string_view line = trim(text.substr(begin, end - begin)); !line.empty())
            lines.push_back(line);
        begin = end + 1;
    };
    for_each_unquoted(text, [&](std::size_t i) {
        if (text[i] == '\n' || text[i] == '\r') take_up_to(i);
        return lines.size() < 2;
    });
    if (lines.size() < 2 && begin < text.size()) take_up_to(text.size());
    return lines;
}

std::vector<std::string_view> split_words(std::string_view line) {
    std::vector<std::string_view> words;
    std::size_t begin = 0;
    const auto take_up_to = [&](std::size_t end) {
        if (end > begin) words.push_back(line.substr(begin, end - begin));
        begin = end + 1;
    };
    for_each_unquoted(line, [&](std::size_t i) {
        if (line[i] == ' ' || line[i] == '\t') take_up_to(i);
        return true;
    });
    take_up_to(line.size());
    return words;
}

/// Returns true for two or more numbers that only white space separates, which excludes "1, 2".
bool are_spaced_numbers(const std::vector<std::string_view>& words) {
    return words.size() > 1 && std::ranges::all_of(words, [](std::string_view word) {
               return !word.starts_with(',') && !word.ends_with(',') &&
                      parse_field(word, true).kind == Kind::number;
           });
}

/// A semicolon or a tab is always a separator; commas beside it are decimal commas. "5 %" is one field.
char find_line_separator(std::string_view line) {
    if (contains_unquoted(line, ';')) return ';';
    const std::vector<std::string_view> words = split_words(line);
    const bool are_numbers = are_spaced_numbers(words);
    if (contains_unquoted(line, '\t'))
        return are_numbers && contains_unquoted(line, ' ') ? white_space : '\t';
    if (contains_unquoted(line, ',')) return are_numbers ? white_space : ',';
    const bool is_one_field = words.size() < 2 || (!are_numbers && is_unsupported_number(line));
    return is_one_field ? no_separator : white_space;
}

}  // namespace

// The first line may be a heading, whose names may contain blanks.
char find_separator(std::string_view beginning) {
    const std::vector<std::string_view> lines = first_lines(beginning);
    if (lines.empty()) return no_separator;
    if (lines.size() == 1) return find_line_separator(lines[0]);
    if (const char second = find_line_separator(lines[1]); second != no_separator) return second;
    const char first = find_line_separator(lines[0]);
    return first == white_space && !are_spaced_numbers(split_words(lines[0])) ? no_separator : first;
}

}  // namespace gridstride

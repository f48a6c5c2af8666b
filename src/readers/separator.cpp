#include "readers/separator.h"

#include <algorithm>
#include <vector>

#include "base/record_reader.h"
#include "base/text.h"
#include "readers/number_form.h"

namespace gridstride {
namespace {

using Kind = ReadNumber::Kind;

/// Calls take(c) for each character outside quotes, until it returns false.
template <class Visit>
void for_each_unquoted(std::string_view text, Visit take) {
    bool in_quotes = false;
    for (const char c : text) {
        if (c == '"') in_quotes = !in_quotes;
        if (!in_quotes && !take(c)) return;
    }
}

bool holds(std::string_view line, char wanted) {
    bool found = false;
    for_each_unquoted(line, [&](char c) {
        found = c == wanted;
        return !found;
    });
    return found;
}

/// The first two lines with something on them; fewer where there are no more.
std::vector<std::string_view> first_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty() && lines.size() < 2) {
        std::size_t length = 0;
        bool in_quotes = false;
        for (; length < text.size(); ++length) {
            if (text[length] == '"') in_quotes = !in_quotes;
            if (!in_quotes && (text[length] == '\n' || text[length] == '\r')) break;
        }
        if (const std::string_view line = trimmed(text.substr(0, length)); !line.empty())
            lines.push_back(line);
        text.remove_prefix(std::min(length + 1, text.size()));
    }
    return lines;
}

/// What stands between spaces and tabs.
std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    std::size_t begin = 0, at = 0;
    const auto take = [&] {
        if (at > begin) words.push_back(line.substr(begin, at - begin));
    };
    bool in_quotes = false;
    for (; at < line.size(); ++at) {
        if (line[at] == '"') in_quotes = !in_quotes;
        if (in_quotes || (line[at] != ' ' && line[at] != '\t')) continue;
        take();
        begin = at + 1;
    }
    take();
    return words;
}

/// Two or more numbers with white space alone between them; "1, 2" has commas there.
bool are_spaced_numbers(const std::vector<std::string_view>& words) {
    return words.size() > 1 && std::ranges::all_of(words, [](std::string_view word) {
               return !word.starts_with(',') && !word.ends_with(',') &&
                      read_number(word, true).kind == Kind::number;
           });
}

/// A semicolon or a tab is there on purpose; a comma beside them is a decimal comma. "5 %" is one field.
char separator_of_line(std::string_view line) {
    if (holds(line, ';')) return ';';
    const std::vector<std::string_view> words = words_of(line);
    const bool are_numbers = are_spaced_numbers(words);
    if (holds(line, '\t')) return are_numbers && holds(line, ' ') ? white_space : '\t';
    if (holds(line, ',')) return are_numbers ? white_space : ',';
    const bool is_one_field = words.size() < 2 || (!are_numbers && is_number_in_other_form(line));
    return is_one_field ? no_separator : white_space;
}

}  // namespace

/// The first line may be a heading, whose names may have blanks in them.
char find_separator(std::string_view beginning) {
    const std::vector<std::string_view> lines = first_lines(beginning);
    if (lines.empty()) return no_separator;
    if (lines.size() == 1) return separator_of_line(lines[0]);
    if (const char second = separator_of_line(lines[1]); second != no_separator) return second;
    const char first = separator_of_line(lines[0]);
    return first == white_space && !are_spaced_numbers(words_of(lines[0])) ? no_separator : first;
}

}  // namespace gridstride

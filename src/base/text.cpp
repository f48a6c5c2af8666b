#include "base/text.h"

#include <algorithm>

namespace gridstride {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const std::size_t end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

std::string in_lower_case(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

std::size_t characters(std::string_view utf8) {
    return utf8.size() -
           static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), continues_character));
}

std::string_view first_characters(std::string_view utf8, std::size_t most) {
    std::size_t end = 0;
    for (; end < utf8.size(); ++end)
        if (!continues_character(utf8[end]) && most-- == 0) break;
    return utf8.substr(0, end);
}

std::vector<std::string> lines_of(std::string_view words, std::size_t most) {
    std::vector<std::string> lines(1);
    for (const std::string_view word : split(words, ' ')) {
        if (!lines.back().empty() && characters(lines.back()) + 1 + characters(word) > most)
            lines.emplace_back();
        if (!lines.back().empty()) lines.back() += ' ';
        lines.back() += word;
    }
    return lines;
}

}  // namespace gridstride

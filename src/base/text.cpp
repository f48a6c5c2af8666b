#include "base/text.h"

#include <algorithm>
#include <cstdint>

namespace gridstride {
namespace {

/// The bytes of the UTF-8 character that starts at text[0]; 0 when there is none (RFC 3629: no overlong
/// forms, no surrogates, nothing above U+10FFFF).
std::size_t character_size(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint8_t lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t size = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : (lead & 0xF0) == 0xE0        ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
    if (size == 0 || text.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return 0;
    }
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) > 0x9F) return 0;
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;
    return size;
}

/// Appends characters until `out` holds about `limit` bytes; returns the bytes of text that were used.
std::size_t append_printable(std::string& out, std::string_view text, std::size_t limit) {
    std::size_t used = 0;
    while (used < text.size() && out.size() < limit) {
        const std::string_view rest = text.substr(used);
        const std::size_t size = character_size(rest);
        const auto first = static_cast<std::uint8_t>(rest[0]);
        if (size == 0 || first < 0x20 || first == 0x7F) {
            out += '?';
            used += 1;
        } else {
            out += rest.substr(0, size);
            used += size;
        }
    }
    return used;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string without_spaces(std::string_view number) {
    std::string plain(number);
    for (const std::string_view space : {" ", "\u2009", "\u00A0", "\u202F"})
        for (std::size_t at = plain.find(space); at != std::string::npos; at = plain.find(space, at))
            plain.erase(at, space.size());
    return plain;
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

std::string printable(std::string_view text) {
    std::string out;
    append_printable(out, text, std::string::npos);
    return out;
}

std::string_view without_byte_order_mark(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    return text;
}

std::string with_plain_line_ends(std::string_view text) {
    std::string plain;
    plain.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\r')
            plain += text[i];
        else if (i + 1 == text.size() || text[i + 1] != '\n')
            plain += '\n';
    }
    return plain;
}

std::string quoted_text(std::string_view text) {
    std::string out = "\"";
    const std::size_t used = append_printable(out, text, 60);
    if (used < text.size()) out += "…";
    return out + '"';
}

std::string quoted_path(const std::filesystem::path& path) {
    return '"' + printable(path.native()) + '"';
}

}  // namespace gridstride

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace gridstride {
namespace {

/// Returns the size of the UTF-8 character at text[0]; 0 if it is invalid (RFC 3629: no overlong forms, no
/// surrogates, nothing above U+10FFFF).
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

char32_t code_point(std::string_view character) {
    if (character.size() == 1) return static_cast<unsigned char>(character[0]);
    char32_t code = static_cast<unsigned char>(character[0]) & (0x7FU >> character.size());
    for (const char byte : character.substr(1))
        code = code << 6 | (static_cast<unsigned char>(byte) & 0x3FU);
    return code;
}

/// Returns whether the character moves a terminal's cursor, changes its state, ends a line, or changes the
/// direction of writing (Unicode's Cc, line and paragraph separator, Bidi_Control).
bool controls_terminal(char32_t code) {
    return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x061C || code == 0x200E ||
           code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/// Appends characters until `out` holds about `limit` bytes. For each invalid or control character, calls
/// replace(bytes, code point or nullopt) instead. Returns the number of bytes of text consumed.
template <class Replace>
std::size_t append_replaced(std::string& out, std::string_view text, std::size_t limit, Replace&& replace) {
    std::size_t used_bytes = 0;
    while (used_bytes < text.size() && out.size() < limit) {
        const std::string_view rest = text.substr(used_bytes);
        const std::size_t size = character_size(rest);
        const std::string_view character = rest.substr(0, std::max<std::size_t>(size, 1));
        const std::optional<char32_t> code = size == 0 ? std::nullopt : std::optional(code_point(character));
        if (code && !controls_terminal(*code))
            out += character;
        else
            replace(character, code);
        used_bytes += character.size();
    }
    return used_bytes;
}

std::size_t append_printable(std::string& out, std::string_view text, std::size_t limit) {
    return append_replaced(out, text, limit, [&](std::string_view, std::optional<char32_t>) { out += '?'; });
}

}  // namespace

std::string_view trim(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string remove_spaces(std::string_view number) {
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

std::string to_lower(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

namespace {

/// The letters of U+00C0 to U+017F without accents.
constexpr std::string_view latin_letters =
    "aaaaaaaceeeeiiiidnoooooxouuuuytsaaaaaaaceeeeiiiidnooooo/ouuuuyty"
    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll"
    "lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

/// Returns what stands for a character that has several bytes: a view of `latin_letters`, of a literal, or of
/// the character itself.
std::string_view fold_character(std::string_view utf8) {
    for (const auto& [character, letters] : {std::pair<std::string_view, std::string_view>{"Æ", "ae"},
                                             {"æ", "ae"},
                                             {"Œ", "oe"},
                                             {"œ", "oe"},
                                             {"ß", "ss"},
                                             {"\u2019", "'"},
                                             {"\u00a0", " "},
                                             {"\u202f", " "},
                                             {"\u2009", " "}})
        if (utf8 == character) return letters;
    if (utf8.size() != 2 || (static_cast<unsigned char>(utf8[0]) & 0xE0U) != 0xC0U) return utf8;
    const unsigned code =
        (static_cast<unsigned char>(utf8[0]) & 0x1FU) << 6U | (static_cast<unsigned char>(utf8[1]) & 0x3FU);
    const bool is_letter = code >= 0xC0 && code < 0x180 && code != 0xD7 && code != 0xF7;  // × and ÷
    return is_letter ? latin_letters.substr(code - 0xC0, 1) : utf8;
}

}  // namespace

std::string fold_letters(std::string_view text, std::vector<std::size_t>* sources) {
    std::string folded;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        while (end < text.size() && is_continuation_byte(text[end]))
            ++end;
        const std::string_view character = text.substr(at, end - at);
        folded +=
            character.size() == 1 ? to_lower(std::string(character)) : std::string(fold_character(character));
        if (sources) sources->resize(folded.size(), at);
        at = end;
    }
    return folded;
}

std::size_t characters(std::string_view utf8) {
    return utf8.size() -
           static_cast<std::size_t>(std::count_if(utf8.begin(), utf8.end(), is_continuation_byte));
}

std::string_view first_characters(std::string_view utf8, std::size_t max_count) {
    std::size_t end = 0;
    for (; end < utf8.size(); ++end)
        if (!is_continuation_byte(utf8[end]) && max_count-- == 0) break;
    return utf8.substr(0, end);
}

std::vector<std::string> wrap_words(std::string_view words, std::size_t max_count) {
    std::vector<std::string> lines(1);
    for (const std::string_view word : split(words, ' ')) {
        if (!lines.back().empty() && characters(lines.back()) + 1 + characters(word) > max_count)
            lines.emplace_back();
        if (!lines.back().empty()) lines.back() += ' ';
        lines.back() += word;
    }
    return lines;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1), last, before_last;
    for (std::size_t j = 0; j <= b.size(); ++j)
        row[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        before_last = std::exchange(last, row);
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replace_cost = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({replace_cost, last[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
    }
    return row[b.size()];
}

std::string hash_text(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return fmt::format("{:016x}", hash);
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        if (size == 0) return false;
        text.remove_prefix(size);
    }
    return true;
}

std::string printable(std::string_view text) {
    std::string out;
    append_printable(out, text, std::string::npos);
    return out;
}

bool has_controls(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<std::uint8_t>(text[i]);
        if (byte >= 0x20 && byte < 0x7F) continue;
        if (byte < 0x80 && byte != '\n' && byte != '\t') return true;
        // The first bytes of all multi-byte control characters.
        if (byte != 0xC2 && byte != 0xD8 && byte != 0xE2) continue;
        const std::size_t size = character_size(text.substr(i));
        if (size > 1 && controls_terminal(code_point(text.substr(i, size)))) return true;
    }
    return false;
}

std::string escape_controls(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    const auto ends_line = [&](const char* next) {
        return next != text.data() + text.size() && *next == '\n';
    };
    append_replaced(out, text, std::string::npos, [&](std::string_view bytes, std::optional<char32_t> code) {
        if (!code)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[0]));
        else if (*code == '\n' || *code == '\t' || (*code == '\r' && ends_line(bytes.data() + 1)))
            out += bytes;
        else
            out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(*code));
    });
    return out;
}

std::string_view remove_byte_order_mark(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    return text;
}

std::string normalize_line_ends(std::string_view text) {
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

std::string encode_base64(std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string encoded;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t j = i; j < i + 3; ++j)
            group = group << 8U | (j < bytes.size() ? static_cast<unsigned char>(bytes[j]) : 0U);
        for (std::size_t digit = 0; digit < 4; ++digit)
            encoded += i + digit > bytes.size() ? '=' : digits[group >> (18 - 6 * digit) & 63U];
    }
    return encoded;
}

std::string quote_text(std::string_view text) {
    std::string out = "\"";
    const std::size_t used_bytes = append_printable(out, text, 60);
    if (used_bytes < text.size()) out += "…";
    return out + '"';
}

std::string quote_path(const std::filesystem::path& path) {
    return '"' + printable(path.native()) + '"';
}

}  // namespace gridstride

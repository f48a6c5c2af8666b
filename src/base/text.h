// Text functions: splitting, parsing, UTF-8, and text from outside (file contents, paths) in messages.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace gridstride {

/// Removes spaces, tabs and carriage returns at both ends.
std::string_view trim(std::string_view text);

/// Splits at each separator; n separators give n + 1 pieces.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Joins the formatted items. (fmt::join would compile all of fmt in every file that calls it.)
template <class Items>
std::string join(Items&& items, std::string_view separator) {
    std::string line;
    bool first = true;
    for (const auto& item : items) {
        if (!first) line += separator;
        first = false;
        line += fmt::format("{}", item);
    }
    return line;
}

/// Parses the whole text as a number. Returns nullopt if it is not one or is out of range.
template <class T>
std::optional<T> parse_number(std::string_view text) {
    T value{};
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && read == end ? std::optional(value) : std::nullopt;
}

/// Removes spaces, because people paste numbers with thousands separated by one of several kinds of space.
std::string remove_spaces(std::string_view number);

/// Converts A to Z only: for names of files and devices, and labels.
std::string to_lower(std::string text);

/// Returns the text for searching and sorting, the same in every locale: small letters without accents, "ae",
/// "oe" and "ss" for æ, œ and ß, and common spaces and apostrophes. Letters outside U+0000 to U+017F stay.
/// sources: if not null, gets the position in `text` of each byte of the result.
std::string fold_letters(std::string_view text, std::vector<std::size_t>* sources = nullptr);

/// Returns whether the byte continues a UTF-8 character.
constexpr bool is_continuation_byte(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}
/// Counts code points, as fmt's widths do.
std::size_t characters(std::string_view utf8);
/// Returns up to `max_count` code points from the beginning.
std::string_view first_characters(std::string_view utf8, std::size_t max_count);

/// Wraps words into lines of up to `max_count` code points; a longer word gets its own line.
std::vector<std::string> wrap_words(std::string_view words, std::size_t max_count);

/// Returns the edit distance in bytes; a swap of neighbours is one edit (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

bool is_utf8(std::string_view text);

/// Returns 16 hexadecimal digits: FNV-1a, 64 bits (G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV
/// Non-Cryptographic Hash Algorithm").
std::string hash_text(std::string_view text);

/// Encodes bytes as base64 (RFC 4648, section 4).
std::string encode_base64(std::string_view bytes);

/// Replaces invalid UTF-8, control characters and bidirectional controls by "?", for JSON, messages and the
/// window.
std::string printable(std::string_view text);

/// Returns whether the text contains terminal control characters other than \n and \t. Ignores invalid UTF-8.
bool has_controls(std::string_view text);
/// Makes a text safe for a terminal: control characters except line ends (\n and \r\n) and tabs become
/// escapes such as \u001b or \u202e, and invalid UTF-8 bytes \xff. (In a JSON string the \u escapes keep
/// their meaning.)
std::string escape_controls(std::string_view text);

/// Removes the UTF-8 byte order mark that some editors write.
std::string_view remove_byte_order_mark(std::string_view text);
/// Converts CRLF and CR to LF.
std::string normalize_line_ends(std::string_view text);

/// Returns printable() in double quotes, cut after about 60 bytes with an ellipsis.
std::string quote_text(std::string_view text);

/// Returns the whole path in double quotes, printable().
std::string quote_path(const std::filesystem::path& path);

}  // namespace gridstride

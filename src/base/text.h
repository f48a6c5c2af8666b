// Text taken apart: pieces, numbers, characters; and text from outside (a file's content, a path) as part of
// a message.
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

/// Without blanks at its ends: spaces, tabs, carriage returns.
std::string_view trimmed(std::string_view text);

/// The pieces between the separators: always one more than there are of those.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Each item as text, in one line with the separator between them. (fmt::join would compile fmt's whole
/// engine in every file that calls it.)
template <class Items>
std::string joined(Items&& items, std::string_view separator) {
    std::string line;
    bool first = true;
    for (const auto& item : items) {
        if (!first) line += separator;
        first = false;
        line += fmt::format("{}", item);
    }
    return line;
}

/// The number that is all of the text; nullopt: it is none, or the type does not hold it.
template <class T>
std::optional<T> number_in(std::string_view text) {
    T value{};
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && read == end ? std::optional(value) : std::nullopt;
}

/// As it can be read: people copy numbers with their thousands parted, by any of several spaces.
std::string without_spaces(std::string_view number);

/// A to Z alone: names of files and devices, labels.
std::string in_lower_case(std::string text);

/// Whether a byte of UTF-8 goes on with a character that began before it.
constexpr bool continues_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}
/// Code points, which is what fmt's widths count.
std::size_t characters(std::string_view utf8);
/// The first of its characters.
std::string_view first_characters(std::string_view utf8, std::size_t most);

/// Broken between words into lines of so many characters, which a single word may exceed.
std::vector<std::string> lines_of(std::string_view words, std::size_t most);

bool is_utf8(std::string_view text);

/// The text as valid UTF-8 without control characters and without those that turn the direction of writing:
/// what is not so becomes "?". JSON, names in messages and the window need that.
std::string printable(std::string_view text);

/// Whether a character controls a terminal, other than \n and \t. Bytes that are no UTF-8 do not count.
bool has_controls(std::string_view text);
/// What goes to a terminal: the same characters, but line ends (\n and \r\n) and tabs, stand as escapes,
/// \u001b or \u202e, and a byte that is no UTF-8 as \xff. (Inside a string of JSON these say the same as the
/// characters.)
std::string escaped(std::string_view text);

/// A text file's content without the mark that some editors put before UTF-8.
std::string_view without_byte_order_mark(std::string_view text);
/// Lines that end with LF, whether they did with CRLF, CR or LF.
std::string with_plain_line_ends(std::string_view text);

/// printable() in double quotes, cut to about 60 bytes with an ellipsis.
std::string quoted_text(std::string_view text);

/// A path in double quotes, whole.
std::string quoted_path(const std::filesystem::path& path);

}  // namespace gridstride

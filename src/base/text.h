// Text taken apart: pieces, numbers, characters.
#pragma once

#include <charconv>
#include <cstddef>
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

/// The number that is all of the text; nullopt: it is none, or the type does not hold it.
template <class T>
std::optional<T> number_in(std::string_view text) {
    T value{};
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && read == end ? std::optional(value) : std::nullopt;
}

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

}  // namespace gridstride

// Text from outside (a file's content, a path) as part of a message.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gridstride {

/// The text as valid UTF-8 without control characters: what is not so becomes "?". JSON and the window need
/// that.
std::string printable(std::string_view text);

/// A text file's content without the mark that some editors put before UTF-8.
std::string_view without_byte_order_mark(std::string_view text);

/// printable() in double quotes, cut to about 60 bytes with an ellipsis.
std::string quoted_text(std::string_view text);

/// A path in double quotes, whole.
std::string quoted_path(const std::filesystem::path& path);

}  // namespace gridstride

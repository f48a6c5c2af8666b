// Parsing of JSON, with limits on its depth and size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace gridstride {

/// The maximum nesting of arrays and objects; copying and writing JSON recurses once per level.
inline constexpr std::size_t max_json_depth = 64;
/// The maximum size of a file or text.
inline constexpr std::uintmax_t max_json_bytes = std::uintmax_t{64} << 20;

/// Throws FileError if the text is not JSON or exceeds a limit. The message continues one that begins with
/// the file's name.
nlohmann::ordered_json parse_json(std::string_view text);

/// Throws ReadError, and FileError as parse_json() does.
nlohmann::ordered_json read_json(const std::filesystem::path& file,
                                 std::uintmax_t max_bytes = max_json_bytes);

}  // namespace gridstride

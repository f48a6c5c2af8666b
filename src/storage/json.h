// JSON text from outside: all that the program reads goes through here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace gridstride {

/// Arrays and objects inside each other. Copying and writing JSON recurses once a level.
inline constexpr std::size_t max_json_depth = 64;
/// Of a whole file or text.
inline constexpr std::uintmax_t max_json_bytes = std::uintmax_t{64} << 20;

/// Throws FileError, in words that go on behind a file's name: it is not JSON, or over one of these limits.
nlohmann::ordered_json parse_json(std::string_view text);

/// Throws CannotRead, and FileError as above.
nlohmann::ordered_json read_json(const std::filesystem::path& file,
                                 std::uintmax_t max_bytes = max_json_bytes);

}  // namespace gridstride

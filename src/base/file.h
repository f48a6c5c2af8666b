// Files as the program reads and writes them: whole, and never half-written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace gridstride {

/// The whole file. Throws FileError (missing, a directory, unreadable, over max_bytes).
std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = std::uintmax_t{1} << 32);

/// Writes beside the target, then renames, so that the old file stays whole until the new one is. Throws
/// FileError.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Throws FileError if a file could not be written there; creates nothing. Called before long work starts.
void require_writable(const std::filesystem::path& path);

/// share/gridstride beside the running executable's bin/: lessons, shaders, kernels, assets.
const std::filesystem::path& data_directory();

std::filesystem::path config_directory();  ///< $XDG_CONFIG_HOME/gridstride or ~/.config/gridstride
std::filesystem::path cache_directory();   ///< $XDG_CACHE_HOME/gridstride or ~/.cache/gridstride
std::filesystem::path state_directory();   ///< $XDG_STATE_HOME/gridstride or ~/.local/state/gridstride

std::string_view app_version();  ///< "0.1.0"

}  // namespace gridstride

// A file that several processes of a user read and change.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "base/input_file.h"

namespace gridstride {

/// Takes the lock file <file>.lock. The caller may change the file until the descriptor closes. Returns
/// nullopt if another process holds the lock for all of `timeout`. On a file system without locks, the last
/// write wins.
std::optional<Descriptor> lock_file(const std::filesystem::path& file, std::chrono::milliseconds timeout);

/// Renames a damaged file to <file>.damaged; earlier ones move to <file>.damaged-2 to -9, and the oldest is
/// removed. Returns the new name, or nullopt if the rename failed.
std::optional<std::filesystem::path> rename_damaged(const std::filesystem::path& file);

}  // namespace gridstride

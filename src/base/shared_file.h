// A file that several processes of a person read and change.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "base/input_file.h"

namespace gridstride {

/// Who has the lock beside the file, <file>.lock, may change it, until the descriptor closes. nullopt:
/// somebody else has had it for all that time. Where the file system has no locks, the last to write wins.
std::optional<Descriptor> lock_beside(const std::filesystem::path& file, std::chrono::milliseconds patience);

/// A damaged one becomes <file>.damaged; earlier ones become <file>.damaged-2 to -9, and the oldest beyond
/// goes. Returns the name; nullopt: it could not be renamed.
std::optional<std::filesystem::path> set_aside(const std::filesystem::path& file);

}  // namespace gridstride

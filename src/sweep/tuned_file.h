// The file of remembered launches, which all windows and commands of a person share.
#pragma once

#include <filesystem>
#include <vector>

#include "sweep/tuned.h"

namespace gridstride {

/// config_directory()/tuned.json
std::filesystem::path tuned_file();

/// What is in the file; nothing where there is none. What this program has no lesson, variant or parameter
/// for is left out. A damaged file is set aside as <file>.damaged, and the user is told. Throws FileError: it
/// cannot be read, or a newer version wrote it.
std::vector<Tuned> read_tuned(const std::filesystem::path& file);

/// Adds them to the file, in the place of those that count for the same. Waits for whoever changes it just
/// now. Throws FileError; then the file is as it was.
void write_tuned(const std::filesystem::path& file, const std::vector<Tuned>& newer);

}  // namespace gridstride

// The file of tuned launches, which all windows and commands of a user share.
#pragma once

#include <filesystem>
#include <vector>

#include "sweep/tuned_launch.h"

namespace gridstride {

std::filesystem::path tuned_file();

/// Returns the launches in the file; empty if there is no file. Entries with an unknown lesson, variant or
/// parameter are left out. A damaged file is renamed to <file>.damaged, and the user is notified. Throws
/// FileError if the file cannot be read or was written by a newer version.
std::vector<TunedLaunch> read_tuned(const std::filesystem::path& file);

/// Adds launches to the file and replaces those for the same work. Waits for other processes that write it.
/// Throws FileError; the file is then unchanged.
void write_tuned(const std::filesystem::path& file, const std::vector<TunedLaunch>& newer);

}  // namespace gridstride

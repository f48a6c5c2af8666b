// What stands in a folder, for who chooses a file there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file_progress.h"

namespace gridstride {

struct FolderEntry {
    std::string name;
    bool folder = false;
    bool fits = false;  ///< a file of one of the endings
    std::uintmax_t bytes = 0;
    std::time_t modified = 0;
};
struct FolderList {
    std::vector<FolderEntry> entries;
    std::size_t left_out = 0;  ///< further ones
};

/// Whether the name has one of these endings, in lower case (".csv"); true where there are none.
bool has_ending(const std::filesystem::path& name, const std::vector<std::string>& endings);

/// Folders, then the files that fit, then other files, each in alphabetical order; the first so many of them,
/// and none that is hidden. Throws FileError, and Cancelled.
FolderList list_folder(const std::filesystem::path& folder, const std::vector<std::string>& endings,
                       std::size_t most, FileProgress& progress);

}  // namespace gridstride

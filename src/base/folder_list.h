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
    bool fits = false;  ///< a file with one of the wanted extensions
    std::uintmax_t bytes = 0;
    std::time_t modified = 0;
};
struct FolderList {
    std::vector<FolderEntry> entries;
    std::size_t left_out = 0;  ///< number of entries beyond the limit
};

/// Returns whether the name has one of these extensions (in lower case: ".csv"); true if the list is empty.
bool has_extension(const std::filesystem::path& name, const std::vector<std::string>& extensions);

/// Lists up to `max_entries` entries: folders, then matching files, then other files, each in alphabetical
/// order, without hidden ones. Throws FileError and Cancelled.
FolderList list_folder(const std::filesystem::path& folder, const std::vector<std::string>& extensions,
                       std::size_t max_entries, FileProgress& progress);

}  // namespace gridstride

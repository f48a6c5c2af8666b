// Finds files that a text names, and nothing outside the folders that it may name files of.
#pragma once

#include <filesystem>
#include <vector>

namespace gridstride {

/// Whether a path lies below a folder; both without links, "." and "..".
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder);

/// The folders without links, "." and ".."; those that are not there are left out, and so is "/", which would
/// allow everything.
std::vector<std::filesystem::path> real_folders(const std::vector<std::filesystem::path>& folders);

struct FoundInside {
    std::filesystem::path
        file;  ///< the first candidate that is a regular file, without links; empty: none is
    /// Of those before it, one leads outside: by "..", by a link, or because it is absolute. Whether there is
    /// a file is not looked at, so that no message can tell.
    bool leads_outside = false;
};
/// folders: real_folders(). candidates: absolute paths, in the order in which they are looked for.
FoundInside find_inside(const std::vector<std::filesystem::path>& folders,
                        const std::vector<std::filesystem::path>& candidates);

}  // namespace gridstride

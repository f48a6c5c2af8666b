// Finds files that a text refers to, restricted to allowed folders.
#pragma once

#include <filesystem>
#include <vector>

namespace gridstride {

/// Returns whether the path is below the folder. Both must be canonical (no links, "." or "..").
bool is_inside(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Returns the canonical paths. Skips folders that do not exist, and "/", which would allow everything.
std::vector<std::filesystem::path> canonical_folders(const std::vector<std::filesystem::path>& folders);

struct FolderSearchResult {
    /// The canonical path of the first candidate that is a regular file; empty if none is.
    std::filesystem::path file;
    /// An earlier candidate leads outside, by "..", a link or an absolute path. Its existence is not checked,
    /// so that no message can reveal it.
    bool leads_outside = false;
};
/// `folders` come from canonical_folders(); `candidates` are absolute paths, tried in this order.
FolderSearchResult find_in_folders(const std::vector<std::filesystem::path>& folders,
                                   const std::vector<std::filesystem::path>& candidates);

}  // namespace gridstride

#include "base/find_in_folders.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace gridstride {
namespace {

namespace fs = std::filesystem;

/// Returns whether any component of the path, including the last, is a symbolic link.
bool contains_link(const fs::path& path) {
    fs::path prefix;
    std::error_code error;
    for (const fs::path& part : path) {
        prefix /= part;
        if (fs::is_symlink(fs::symlink_status(prefix, error))) return true;
    }
    return false;
}

}  // namespace

bool is_inside(const fs::path& path, const fs::path& folder) {
    const auto [in_folder, in_path] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return in_folder == folder.end() && in_path != path.end();
}

std::vector<fs::path> canonical_folders(const std::vector<fs::path>& folders) {
    std::vector<fs::path> found;
    for (const fs::path& folder : folders) {
        std::error_code error;
        fs::path real = fs::canonical(folder, error);
        if (!error && real.has_relative_path()) found.push_back(std::move(real));
    }
    return found;
}

FolderSearchResult find_in_folders(const std::vector<fs::path>& folders,
                                   const std::vector<fs::path>& candidates) {
    const auto is_outside = [&](const fs::path& path) {
        return std::none_of(folders.begin(), folders.end(),
                            [&](const fs::path& folder) { return is_inside(path, folder); });
    };
    FolderSearchResult found;
    for (const fs::path& candidate : candidates) {
        std::error_code error;
        fs::path file = candidate.lexically_normal();
        // A path that is lexically outside is not accessed at all.
        if (!is_outside(file)) file = fs::canonical(candidate, error);
        // A broken link may lead outside.
        if (error ? contains_link(candidate) : is_outside(file)) {
            found.leads_outside = true;
        } else if (!error && fs::is_regular_file(file, error)) {
            found.file = file;
            break;
        }
    }
    return found;
}

}  // namespace gridstride

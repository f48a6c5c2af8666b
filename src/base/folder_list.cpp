#include "base/folder_list.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <system_error>
#include <tuple>

#include "base/error.h"
#include "base/text.h"

namespace gridstride {

bool has_extension(const std::filesystem::path& name, const std::vector<std::string>& extensions) {
    const std::string extension = to_lower(name.extension().string());
    return extensions.empty() ||
           std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

FolderList list_folder(const std::filesystem::path& folder, const std::vector<std::string>& extensions,
                       std::size_t max_entries, FileProgress& progress) {
    namespace fs = std::filesystem;
    FolderList list;
    std::error_code error;
    std::error_code unknown;  // of a single entry; ignored
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        progress.advance(0);
        std::string name = entry->path().filename().string();
        if (name.starts_with('.')) continue;
        const bool is_folder = entry->is_directory(unknown);
        const bool fits = !is_folder && has_extension(name, extensions);
        list.entries.push_back({.name = std::move(name), .folder = is_folder, .fits = fits});
    }
    if (error)
        throw FileError(
            fmt::format("Cannot list {}: {}. Choose another folder.", quote_path(folder), error.message()));
    const auto key = [](const FolderEntry& entry) {
        return std::tuple(!entry.folder, !entry.fits, fold_letters(entry.name), entry.name);
    };
    std::sort(list.entries.begin(), list.entries.end(),
              [&](const FolderEntry& a, const FolderEntry& b) { return key(a) < key(b); });
    if (list.entries.size() > max_entries) {
        list.left_out = list.entries.size() - max_entries;
        list.entries.resize(max_entries);
    }
    // Only for the entries shown: on a slow mount, each stat() is a round trip.
    for (FolderEntry& entry : list.entries) {
        progress.advance(0);
        struct stat status {};
        if (::stat((folder / entry.name).c_str(), &status) != 0) continue;
        entry.bytes = static_cast<std::uintmax_t>(status.st_size);
        entry.modified = status.st_mtime;
    }
    return list;
}

}  // namespace gridstride

// Reading whole files, and writing them atomically.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_progress.h"

namespace gridstride {

/// Larger than any file that is read whole; the largest are fonts.
inline constexpr std::uintmax_t max_read_bytes = std::uintmax_t{256} << 20;

/// Returns the whole content of a regular file (see InputFile). Throws FileError, Cancelled.
std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = max_read_bytes,
                      FileProgress* progress = nullptr);

/// Writes a temporary file beside the target, syncs and renames it: the old file stays intact until the new
/// one is complete, and the new one survives a power cut. Throws FileError.
void write_file(const std::filesystem::path& path, std::string_view content,
                FileProgress* progress = nullptr);

/// Returns the last modification time of each file; the earliest time for a missing file.
std::vector<std::filesystem::file_time_type> modification_times(const std::vector<std::string>& files);

/// Throws FileError if the path cannot be written; creates nothing. Call it before long work starts.
void require_writable(const std::filesystem::path& path);

/// Follows symbolic links, so that a write replaces the file that a link leads to and keeps the link.
std::filesystem::path resolve_links(const std::filesystem::path& path);

/// Returns the number of bytes written. If it is less than content.size(), errno holds the reason.
std::size_t write_all(int descriptor, std::string_view content, FileProgress* progress = nullptr);

/// Waits until the data is on the disk. Returns false and sets errno on failure; returns true if the file
/// system does not support syncing.
bool sync_file(int descriptor);
/// Syncs the entries of a folder. An empty path is the current folder.
bool sync_folder(const std::filesystem::path& folder);
/// Creates the folder and its parents, and syncs them. Reports no errors: the write that follows does.
void create_folders(const std::filesystem::path& folder);

/// Returns an errno's meaning and the fix: "No space left on device. Make room or choose another folder."
std::string write_error_text(int error);

/// Throws FileError.
[[noreturn]] void throw_cannot_write(const std::filesystem::path& path, const std::string& reason);

/// Writes a temporary file beside the target, which stays intact until rename_to_target(). The destructor
/// removes the temporary file unless it was renamed or keep() was called. The process holds a lock on it; a
/// temporary file without a lock was left by a process that has ended. A device or a pipe is written in
/// place.
class OutputFile {
 public:
    /// Copies the permissions of an existing target. Throws FileError.
    OutputFile(const std::filesystem::path& path, std::string_view suffix);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    int descriptor() const { return descriptor_; }
    const std::filesystem::path& temporary() const { return temporary_; }
    bool is_in_place() const { return temporary_.empty(); }

    /// Syncs and closes the file. Returns false and sets errno if the data could not be stored.
    bool close();
    /// Call after close(). Returns false and sets errno on failure.
    bool rename_to_target();
    void keep() { keep_ = true; }

 private:
    std::filesystem::path target_;
    std::filesystem::path temporary_;  ///< empty: written in place
    int descriptor_ = -1;
    bool keep_ = false;
};

/// Returns the temporary files that ended processes left in this folder: they were killed, or their rename
/// failed.
std::vector<std::filesystem::path> find_abandoned_files(const std::filesystem::path& folder);

/// share/gridstride beside the bin/ of the running executable; holds lessons, shaders, kernels and assets.
const std::filesystem::path& data_directory();

std::filesystem::path home_directory();    ///< $HOME if it is absolute, else from the user database
std::filesystem::path config_directory();  ///< $XDG_CONFIG_HOME/gridstride or ~/.config/gridstride
std::filesystem::path cache_directory();   ///< $XDG_CACHE_HOME/gridstride or ~/.cache/gridstride
std::filesystem::path state_directory();   ///< $XDG_STATE_HOME/gridstride or ~/.local/state/gridstride

std::string_view app_version();  ///< "0.1.0"

}  // namespace gridstride

// Files as the program reads and writes them: whole, and never half-written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_progress.h"

namespace gridstride {

/// More than any file that is read whole: fonts are the largest.
inline constexpr std::uintmax_t max_whole_bytes = std::uintmax_t{256} << 20;

/// The whole of a regular file: see InputFile. Throws FileError, Cancelled.
std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = max_whole_bytes,
                      FileProgress* progress = nullptr);

/// Writes beside the target, then renames, so that the old file stays whole until the new one is; on the disk
/// when it returns, so that it survives a power cut. Throws FileError.
void write_file(const std::filesystem::path& path, std::string_view content,
                FileProgress* progress = nullptr);

/// When each was last written; of one that is not there, the earliest time.
std::vector<std::filesystem::file_time_type> times_of(const std::vector<std::string>& files);

/// Throws FileError if a file could not be written there; creates nothing. Called before long work starts.
void require_writable(const std::filesystem::path& path);

/// What a write goes to: a symbolic link stays a link, the file that it leads to is replaced.
std::filesystem::path write_target(const std::filesystem::path& path);

/// Writes on where it left off. How much of it was written; less than all of it: errno says why.
std::size_t write_all(int descriptor, std::string_view content, FileProgress* progress = nullptr);

/// Waits until the disk holds what was written. False, with errno; true where a kind of file or file system
/// knows no such thing.
bool sync_file(int descriptor);
/// The same of the names in a folder; empty: the current one.
bool sync_folder(const std::filesystem::path& folder);
/// With all folders above it, on the disk. Whoever writes into it says what is wrong.
void make_folders(const std::filesystem::path& folder);

/// Why a write stopped, with what to do: "No space left on device. Make room or choose another folder."
std::string why_not_written(int error);

/// Throws FileError.
[[noreturn]] void cannot_write(const std::filesystem::path& path, const std::string& why);

/// A file that is written: under a name of its own beside the one that it will replace, so that the old one
/// stays whole until the new one is. It removes itself unless it was renamed or kept. Its process holds a
/// lock on it: where nobody does, that process has ended. A device or a pipe is written in place.
class OutputFile {
 public:
    /// With the permissions of the one that it replaces. Throws FileError.
    OutputFile(const std::filesystem::path& path, std::string_view suffix);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    int descriptor() const { return descriptor_; }
    const std::filesystem::path& temporary() const { return temporary_; }
    bool in_place() const { return temporary_.empty(); }

    /// On the disk. False, with errno, when the last bytes could not be stored.
    bool close();
    /// On the disk, after close(). False, with errno.
    bool rename_to_target();
    void keep() { kept_ = true; }

 private:
    std::filesystem::path target_;
    std::filesystem::path temporary_;  ///< empty: in place
    int descriptor_ = -1;
    bool kept_ = false;
};

/// The files in this folder that an OutputFile of a process that has ended was: it was killed, or could not
/// give them their name.
std::vector<std::filesystem::path> left_behind_in(const std::filesystem::path& folder);

/// share/gridstride beside the running executable's bin/: lessons, shaders, kernels, assets.
const std::filesystem::path& data_directory();

std::filesystem::path home_directory();    ///< of the person: an absolute $HOME, else what the system says
std::filesystem::path config_directory();  ///< $XDG_CONFIG_HOME/gridstride or ~/.config/gridstride
std::filesystem::path cache_directory();   ///< $XDG_CACHE_HOME/gridstride or ~/.cache/gridstride
std::filesystem::path state_directory();   ///< $XDG_STATE_HOME/gridstride or ~/.local/state/gridstride

std::string_view app_version();  ///< "0.1.0"

}  // namespace gridstride

// A file with a name of its own beside the one that it will replace, so that the old one stays whole until
// the new one is.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride {

/// What a write goes to: a symbolic link stays a link, the file that it leads to is replaced.
std::filesystem::path write_target(const std::filesystem::path& path);

/// Writes on where it left off. How much of it was written; less than all of it: errno says why.
std::size_t write_all(int descriptor, std::string_view content);

/// Why a write stopped, with what to do: "No space left on device. Make room or choose another folder."
std::string why_not_written(int error);

/// Removes itself unless it was renamed or kept. Its process holds a lock on it: where nobody does, that
/// process has ended.
class TemporaryFile {
 public:
    /// With the permissions of the target, where that is there. Throws FileError.
    TemporaryFile(const std::filesystem::path& target, std::string_view suffix);
    ~TemporaryFile();
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    int descriptor() const { return descriptor_; }
    const std::filesystem::path& path() const { return path_; }

    /// False, with errno, when the last bytes could not be stored.
    bool close();
    /// False, with errno.
    bool rename_to_target();
    void keep() { kept_ = true; }

 private:
    std::filesystem::path path_;
    std::filesystem::path target_;
    int descriptor_ = -1;
    bool kept_ = false;
};

/// The files in this folder that a TemporaryFile of a process that has ended was: it was killed, or could not
/// give them their name.
std::vector<std::filesystem::path> left_behind_in(const std::filesystem::path& folder);

}  // namespace gridstride

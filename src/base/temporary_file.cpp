#include "base/temporary_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/quote.h"
#include "base/units.h"

namespace gridstride {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view temporary_prefix = ".gridstride-";
constexpr std::string_view temporary_ending = ".tmp";

bool is_regular(const fs::path& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

/// An empty one may be that of a process that is about to lock it.
bool is_abandoned(const fs::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return false;
    struct stat status {};
    const bool holds_something = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    const bool abandoned = holds_something && ::flock(file, LOCK_SH | LOCK_NB) == 0;
    ::close(file);
    return abandoned;
}

}  // namespace

fs::path write_target(const fs::path& path) {
    fs::path target = path;
    std::error_code ignored;
    for (int links = 0; links < 40 && fs::is_symlink(target, ignored); ++links) {
        // /dev/stdout leads to a pipe that has no name of its own.
        if (fs::exists(target, ignored) && !is_regular(target)) return target;
        target = target.parent_path() / fs::read_symlink(target, ignored);
    }
    return target;
}

std::size_t write_all(int descriptor, std::string_view content) {
    std::size_t done = 0;
    while (done < content.size()) {
        const ssize_t written =
            ::write(descriptor, content.data() + done, std::min<std::size_t>(content.size() - done, 1 << 30));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) break;
        done += static_cast<std::size_t>(written);
    }
    return done;
}

std::string why_not_written(int error) {
    rlimit largest{};
    if (error == EFBIG && ::getrlimit(RLIMIT_FSIZE, &largest) == 0 && largest.rlim_cur != RLIM_INFINITY)
        return fmt::format(
            "{}: a file may hold {} here. Raise that limit (ulimit -f) or write less into one file.",
            std::generic_category().message(error),
            format_bytes(static_cast<double>(largest.rlim_cur)).text());
    return std::generic_category().message(error) + ". Make room or choose another folder.";
}

TemporaryFile::TemporaryFile(const fs::path& target, std::string_view suffix) : target_(target) {
    static std::atomic<unsigned> number = 0;
    do {
        path_ = target_.parent_path() /
                fmt::format("{}{}-{}{}{}", temporary_prefix, ::getpid(), number++, suffix, temporary_ending);
        descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0)
        throw FileError(fmt::format("Cannot write {}: {}. Choose another folder.", quoted_path(target_),
                                    std::generic_category().message(errno)));
    // A file system without locks or permissions is no reason to fail.
    ::flock(descriptor_, LOCK_EX | LOCK_NB);
    struct stat before {};
    if (::stat(target_.c_str(), &before) == 0 && ::fchmod(descriptor_, before.st_mode & 07777) != 0)
        errno = 0;
}

TemporaryFile::~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!kept_) ::unlink(path_.c_str());
}

bool TemporaryFile::close() {
    return ::close(std::exchange(descriptor_, -1)) == 0;
}

bool TemporaryFile::rename_to_target() {
    if (::rename(path_.c_str(), target_.c_str()) != 0) return false;
    kept_ = true;
    return true;
}

std::vector<fs::path> left_behind_in(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (fs::directory_iterator entry(folder.empty() ? "." : folder, ignored), end; entry != end;
         entry.increment(ignored)) {
        const std::string name = entry->path().filename().string();
        if (name.starts_with(temporary_prefix) && name.ends_with(temporary_ending) &&
            is_abandoned(entry->path()))
            found.push_back(folder / name);
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace gridstride

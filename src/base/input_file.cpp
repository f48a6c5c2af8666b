#include "base/input_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/text.h"
#include "base/units.h"

namespace gridstride {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_open(const fs::path& path, int error) {
    if (error == ENOENT || error == ENOTDIR) throw ReadError(path, "there is no such file. Check the name.");
    if (error == EACCES)
        throw ReadError(path, "you have no permission. Choose another file or change its permissions.");
    throw ReadError(path, std::generic_category().message(error) + ". Choose another file.");
}

void require_regular(const fs::path& path, mode_t mode) {
    if (S_ISREG(mode)) return;
    if (S_ISDIR(mode)) throw ReadError(path, "it is a folder. Choose a file in it.");
    if (S_ISFIFO(mode))
        throw ReadError(path, "it is a pipe. Write what comes out of it into a file, and choose that.");
    throw ReadError(path, fmt::format("it is a {}. Choose a file.", S_ISSOCK(mode) ? "socket" : "device"));
}

/// Checks the file type before opening it, because opening a device may have side effects; the caller checks
/// again, because the file may have been replaced in between.
int open_regular(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) cannot_open(path, errno);
    require_regular(path, status.st_mode);
    const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) cannot_open(path, errno);
    return file;
}

}  // namespace

ReadError::ReadError(const fs::path& path, const std::string& reason)
    : FileError(fmt::format("Cannot read {}: {}", quote_path(path), reason)) {}

Descriptor::~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
}

InputFile::InputFile(const fs::path& path, std::uintmax_t max_bytes, FileProgress* progress)
    : path_(path), max_bytes_(max_bytes), progress_(progress), file_(open_regular(path)) {
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0) cannot_open(path, errno);
    require_regular(path, status.st_mode);
    size_ = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
    if (size_ > max_bytes)
        throw ReadError(
            path, fmt::format("it has {}, and the limit is {}. Choose a smaller file.",
                              format_bytes_beside(size_, max_bytes), format_bytes_beside(max_bytes, size_)));
    if (progress) progress->total = size_;
}

std::size_t InputFile::read_at(std::uint64_t at, std::span<char> to) {
    std::size_t done = 0;
    while (done < to.size()) {
        throw_if_cancelled();
        const ssize_t bytes_read =
            ::pread(file_.get(), to.data() + done, std::min(to.size() - done, max_chunk_bytes),
                    static_cast<off_t>(at + done));
        if (bytes_read < 0 && errno == EINTR) continue;
        if (bytes_read < 0)
            throw ReadError(path_,
                            std::generic_category().message(errno) + ". Try again, or choose another file.");
        if (bytes_read == 0) {
            if (at + done < size_) require_not_shorter();
            break;
        }
        done += static_cast<std::size_t>(bytes_read);
        if (at + done <= max_read_end_) continue;
        if (progress_) progress_->advance(at + done - max_read_end_);
        max_read_end_ = at + done;
        if (max_read_end_ > max_bytes_)
            throw ReadError(path_,
                            fmt::format("it has more than {}, which is the limit. Choose a smaller file.",
                                        format_byte_text(max_bytes_)));
    }
    return done;
}

void InputFile::throw_if_cancelled() {
    if (progress_) progress_->advance(0);
}

/// Files below /sys report a larger size than they deliver; those have not changed.
void InputFile::require_not_shorter() const {
    struct stat now {};
    if (::fstat(file_.get(), &now) != 0 || static_cast<std::uint64_t>(now.st_size) >= size_) return;
    throw ReadError(path_, fmt::format("another program shortened it while it was read: {} of {} bytes are "
                                       "left. Try again when that program has finished.",
                                       now.st_size, size_));
}

}  // namespace gridstride

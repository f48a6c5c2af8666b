// Readers of regular files, with a size limit, progress and cancellation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/file_progress.h"

namespace gridstride {

/// The largest number of elements, samples or pixels read from one file. As f64 they take 2 GiB, and the
/// lesson, its reference and the device each hold a copy.
inline constexpr std::uint64_t max_numbers_in_file = std::uint64_t{1} << 28;

/// A file cannot be opened or read. The message names it.
struct ReadError : FileError {
    ReadError(const std::filesystem::path& path, const std::string& reason);
};

/// Random access to bytes, in a file or in memory.
class ByteSource {
 public:
    ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    virtual ~ByteSource() = default;

    /// A hint only: files below /proc report 0, and a file may grow.
    virtual std::uint64_t reported_size() const = 0;
    /// Returns the number of bytes read, which is less than to.size() only at the end.
    virtual std::size_t read_at(std::uint64_t at, std::span<char> to) = 0;
    /// Call during long work on few bytes. Throws Cancelled.
    virtual void throw_if_cancelled() {}
};

class BytesInMemory : public ByteSource {
 public:
    explicit BytesInMemory(std::string_view bytes) : bytes_(bytes) {}
    std::uint64_t reported_size() const override { return bytes_.size(); }
    std::size_t read_at(std::uint64_t at, std::span<char> to) override {
        return at < bytes_.size() ? bytes_.copy(to.data(), to.size(), at) : 0;
    }

 private:
    std::string_view bytes_;
};

/// Owns a file descriptor and closes it.
class Descriptor {
 public:
    explicit Descriptor(int fd = -1) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Descriptor();
    int get() const { return fd_; }

 private:
    int fd_;
};

/// A regular file. Pipes and devices are rejected because they may block or never end. Progress counts each
/// byte once, however often it is read.
class InputFile : public ByteSource {
 public:
    /// Sets progress->total. Throws ReadError if the file is missing, not regular, not readable, or larger
    /// than max_bytes.
    explicit InputFile(const std::filesystem::path& path,
                       std::uintmax_t max_bytes = std::numeric_limits<std::uintmax_t>::max(),
                       FileProgress* progress = nullptr);

    std::uint64_t reported_size() const override { return size_; }
    /// Throws ReadError, also if more than max_bytes have been read or the file has shrunk. Throws
    /// Cancelled.
    std::size_t read_at(std::uint64_t at, std::span<char> to) override;
    void throw_if_cancelled() override;

 private:
    void require_not_shorter() const;

    std::filesystem::path path_;
    std::uintmax_t max_bytes_;
    FileProgress* progress_;
    Descriptor file_;
    std::uint64_t size_ = 0;
    std::uint64_t max_read_end_ = 0;  ///< end of the bytes read
};

}  // namespace gridstride

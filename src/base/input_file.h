// What files are read through: regular files alone, up to a limit on what is read, with progress.
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

/// The most numbers, samples or pixels that are taken from one file. As f64 they are 2 GiB, and a lesson, its
/// reference and the device each hold them once more.
inline constexpr std::uint64_t max_numbers_in_file = std::uint64_t{1} << 28;

/// A file cannot be read, whatever its content is. The message names it.
struct CannotRead : FileError {
    CannotRead(const std::filesystem::path& path, const std::string& why);
};

/// Bytes that a reader goes through: of a file, or in memory.
class ByteSource {
 public:
    ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;
    virtual ~ByteSource() = default;

    /// A hint: a file below /proc states 0, others grow.
    virtual std::uint64_t stated_size() const = 0;
    /// How many bytes were read: fewer than asked for only where it ends.
    virtual std::size_t read_at(std::uint64_t at, std::span<char> to) = 0;
    /// To be called where much is done with few bytes. Throws Cancelled.
    virtual void throw_if_cancelled() {}
};

class BytesInMemory : public ByteSource {
 public:
    explicit BytesInMemory(std::string_view bytes) : bytes_(bytes) {}
    std::uint64_t stated_size() const override { return bytes_.size(); }
    std::size_t read_at(std::uint64_t at, std::span<char> to) override {
        return at < bytes_.size() ? bytes_.copy(to.data(), to.size(), at) : 0;
    }

 private:
    std::string_view bytes_;
};

/// Closes itself.
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

/// A regular file. Nothing else is read: a pipe would be waited for without end, and some devices give bytes
/// without end. Each byte that is read counts once as progress, however often a reader comes back to it.
class InputFile : public ByteSource {
 public:
    /// Sets progress->total. Throws CannotRead: missing, no regular file, without permission, over max_bytes.
    explicit InputFile(const std::filesystem::path& path,
                       std::uintmax_t max_bytes = std::numeric_limits<std::uintmax_t>::max(),
                       FileProgress* progress = nullptr);

    std::uint64_t stated_size() const override { return size_; }
    /// Throws CannotRead, also when more than max_bytes have been read or the file has become shorter;
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
    std::uint64_t furthest_ = 0;  ///< behind the last byte that was read
};

}  // namespace gridstride

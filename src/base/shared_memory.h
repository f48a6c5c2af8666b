// Memory that another process can be given.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

namespace gridstride {

/// There is no memory that another process can be given: what is in the way, with what to do. It may be
/// memory, file descriptors, or the limit on the size of files, which holds for shared memory too.
class NoSharedMemory : public std::bad_alloc {
 public:
    NoSharedMemory(std::size_t bytes, int error);
    const char* what() const noexcept override { return sentences_->c_str(); }

 private:
    std::shared_ptr<const std::string> sentences_;  ///< shared: a copy that is thrown must not fail
};

/// An anonymous file of fixed size, mapped. Its size is sealed, so that no process that holds it can take
/// pages away from another that reads them.
class SharedMemory {
 public:
    SharedMemory() = default;
    /// Zeroed. Throws NoSharedMemory.
    explicit SharedMemory(std::size_t bytes);
    /// Maps what another process made and takes the file descriptor over, also when it throws.
    /// Throws std::runtime_error when it is no sealed memory of at least so many bytes.
    static SharedMemory adopt(int descriptor, std::size_t bytes);
    ~SharedMemory();
    SharedMemory(SharedMemory&& other) noexcept { *this = std::move(other); }
    SharedMemory& operator=(SharedMemory&& other) noexcept;

    std::span<std::byte> mapped() const { return {data_, bytes_}; }
    /// To be sent to another process; -1 for adopted memory, whose file is closed once it is mapped.
    int descriptor() const { return descriptor_; }
    explicit operator bool() const { return data_ != nullptr; }

 private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
    int descriptor_ = -1;
};

/// While it lives, shared memory is unmapped by a thread of its own: to give a gigabyte back takes longer
/// than a frame of a window. One at a time. What still waits at its end is unmapped then.
class UnmapsApart {
 public:
    UnmapsApart();
    ~UnmapsApart();
    UnmapsApart(const UnmapsApart&) = delete;
    UnmapsApart& operator=(const UnmapsApart&) = delete;
};

}  // namespace gridstride

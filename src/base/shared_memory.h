#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>

namespace gridstride {

/// Shared memory cannot be allocated, for lack of memory or file descriptors or because of the limit on file
/// sizes, which applies to shared memory too. what() names the cause and the fix.
class SharedMemoryError : public std::bad_alloc {
 public:
    SharedMemoryError(std::size_t bytes, int error);
    const char* what() const noexcept override { return message_->c_str(); }

 private:
    std::shared_ptr<const std::string> message_;  ///< shared, because copying an exception must not throw
};

/// A mapped anonymous file whose size is sealed, so that no process can remove pages that another one reads.
class SharedMemory {
 public:
    SharedMemory() = default;
    /// Zero-initialised. Throws SharedMemoryError.
    explicit SharedMemory(std::size_t bytes);
    /// Maps memory that another process created. Takes ownership of the descriptor, also if it throws. Throws
    /// std::runtime_error if it is not sealed memory of at least `bytes`.
    static SharedMemory adopt(int descriptor, std::size_t bytes);
    ~SharedMemory();
    SharedMemory(SharedMemory&& other) noexcept { *this = std::move(other); }
    SharedMemory& operator=(SharedMemory&& other) noexcept;

    std::span<std::byte> mapped() const { return {data_, bytes_}; }
    /// The descriptor to send; -1 for adopted memory, whose descriptor is closed after mapping.
    int descriptor() const { return descriptor_; }
    explicit operator bool() const { return data_ != nullptr; }

 private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
    int descriptor_ = -1;
};

/// While it exists, a thread of its own unmaps shared memory, because freeing a gigabyte takes longer than a
/// frame of the window. The destructor unmaps the rest. At most one may exist.
class BackgroundUnmapper {
 public:
    BackgroundUnmapper();
    ~BackgroundUnmapper();
    BackgroundUnmapper(const BackgroundUnmapper&) = delete;
    BackgroundUnmapper& operator=(const BackgroundUnmapper&) = delete;
};

}  // namespace gridstride

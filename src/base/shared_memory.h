// Memory that another process can be given.
#pragma once

#include <cstddef>
#include <span>

namespace gridstride {

/// An anonymous file of fixed size, mapped. Its size is sealed, so that no process that holds it can take
/// pages away from another that reads them.
class SharedMemory {
 public:
    SharedMemory() = default;
    /// Zeroed. Throws std::bad_alloc when it cannot be had.
    explicit SharedMemory(std::size_t bytes);
    /// Maps what another process made and takes the file descriptor over, also when it throws.
    /// Throws std::runtime_error when it is no sealed memory of at least so many bytes.
    static SharedMemory adopt(int descriptor, std::size_t bytes);
    ~SharedMemory();
    SharedMemory(SharedMemory&& other) noexcept;
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

}  // namespace gridstride

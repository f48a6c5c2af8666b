// Device memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "gpu/device.h"

namespace gridstride::gpu {

enum class MemoryKind {
    device,    ///< fastest for kernels; storage, copy source and target
    upload,    ///< mapped, for the host to write and the device to copy from
    download,  ///< mapped and, where there is such memory, cached, for the host to read
    mapped,    ///< the device's own memory, mapped; not every device has it
};

/// Throws std::runtime_error naming the size and the heap when the memory cannot be had.
class Buffer {
 public:
    Buffer(Device& device, std::uint64_t bytes, MemoryKind kind);
    ~Buffer();
    Buffer(Buffer&&) noexcept;
    Buffer& operator=(Buffer&&) noexcept;

    std::uint64_t bytes() const;
    std::span<std::byte> mapped();  ///< the memory itself; empty for MemoryKind::device. Coherent.

    struct Impl;
    Impl& impl() { return *impl_; }
    const Impl& impl() const { return *impl_; }

 private:
    std::unique_ptr<Impl> impl_;
};

}  // namespace gridstride::gpu

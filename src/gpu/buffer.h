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

/// Copies are the same memory. Throws std::runtime_error naming the size and the heap when it cannot be had.
class Buffer {
 public:
    Buffer(const Device& device, std::uint64_t bytes, MemoryKind kind);

    std::uint64_t bytes() const;
    std::span<std::byte> mapped() const;  ///< the memory itself; empty for MemoryKind::device. Coherent.

    struct Impl;
    const Impl& impl() const { return *impl_; }

 private:
    std::shared_ptr<Impl> impl_;
};

}  // namespace gridstride::gpu

// Device memory: Vulkan buffers with their own allocations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "gpu/device.h"

namespace gridstride::gpu {

enum class MemoryKind {
    device,    ///< fastest for kernels; storage, copy source and copy target
    upload,    ///< mapped: the host writes it, the device copies from it
    download,  ///< mapped, cached by the host if the device has such memory: the host reads it
    mapped,    ///< device-local memory that is also mapped; not every device has it
};

/// A handle: copies refer to the same memory. The constructor throws std::runtime_error, which names the size
/// and the heap, if the memory cannot be allocated.
class Buffer {
 public:
    Buffer(const Device& device, std::uint64_t bytes, MemoryKind kind);

    std::uint64_t bytes() const;
    std::span<std::byte> mapped() const;  ///< empty for MemoryKind::device; coherent

    struct Impl;
    const Impl& impl() const { return *impl_; }

 private:
    std::shared_ptr<Impl> impl_;
};

}  // namespace gridstride::gpu

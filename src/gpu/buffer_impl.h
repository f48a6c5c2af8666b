// The Vulkan objects behind Buffer. See device_impl.h.
#pragma once

#include "gpu/buffer.h"
#include "gpu/device_impl.h"

namespace gridstride::gpu {

struct Buffer::Impl {
    std::shared_ptr<DeviceCore> core;
    std::uint64_t bytes = 0;
    vk::raii::DeviceMemory memory{nullptr};
    vk::raii::Buffer buffer{nullptr};  ///< destroyed before the memory it is bound to
    std::span<std::byte> mapped;
};

}  // namespace gridstride::gpu

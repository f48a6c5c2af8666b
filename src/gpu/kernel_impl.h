// The Vulkan objects behind Kernel. See device_impl.h.
#pragma once

#include "gpu/device_impl.h"
#include "gpu/kernel.h"

namespace gridstride::gpu {

struct Kernel::Impl {
    std::shared_ptr<DeviceCore> core;
    std::string name;
    std::uint32_t storage_buffers = 0;
    std::uint32_t push_bytes = 0;
    std::uint32_t registers = 0;
    vk::raii::DescriptorSetLayout set_layout{nullptr};
    vk::raii::PipelineLayout pipeline_layout{nullptr};
    vk::raii::Pipeline pipeline{nullptr};
};

}  // namespace gridstride::gpu

// What bare_vulkan.cpp needs before it can measure: a device, buffers, a kernel. No framework, and none of
// the app.
#pragma once

#include <vulkan/vulkan.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace bare {

using Words = std::vector<std::uint32_t>;

/// Where the output begins in its buffer: behind 256 bytes, as the app's does behind its guard.
constexpr vk::DeviceSize output_offset = 256;

struct Wanted {
    std::string kernel;
    std::uint32_t elements, workgroup_size, workgroup_count, inputs, element_bytes;
    int samples;
    std::string device, input;
    Words constants, push;
};

/// Everything lives until the process ends: nothing here is worth a destructor.
struct Vulkan {
    vk::PhysicalDevice physical;
    vk::Device device;
    vk::Queue queue;
    std::uint32_t family = 0;
    vk::PhysicalDeviceProperties properties;
    std::uint64_t tick_mask = 0;
    vk::CommandBuffer commands;
    vk::Fence fence;
    vk::QueryPool queries;
};

struct Buffer {
    vk::Buffer buffer;
    void* mapped = nullptr;
};

struct Kernel {
    vk::Pipeline pipeline;
    vk::PipelineLayout layout;
    vk::DescriptorSet set;
    Words push;
    std::uint32_t workgroups = 0;
};

/// All bytes of a file; std::runtime_error when it cannot be read.
std::vector<char> read_raw(const std::string& path);
/// The first device whose name holds `wanted`, one queue of it, and what a submission takes.
void open_device(Vulkan& vulkan, const std::string& wanted);
/// The first memory type with the flags; for a buffer that the host reads, one that it has cached if there is
/// one.
Buffer make_buffer(const Vulkan& vulkan, vk::DeviceSize bytes, vk::MemoryPropertyFlags flags,
                   bool cached = false);
/// The pipeline, with all buffers bound in their order, each of so many bytes; the last, the output, from
/// output_offset on.
Kernel make_kernel(const Vulkan& vulkan, const Wanted& wanted, const std::vector<Buffer>& buffers,
                   vk::DeviceSize bytes);

}  // namespace bare

// The Vulkan objects of bare_vulkan.cpp: device, buffers and kernel. They use no framework and no code of the
// app.
#pragma once

#include <vulkan/vulkan.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace bare {

using Words = std::vector<std::uint32_t>;

/// The offset of the output in its buffer. The app's output has the same offset, behind a guard.
constexpr vk::DeviceSize output_offset = 256;

struct Options {
    std::string kernel;
    std::uint32_t elements, workgroup_size, workgroup_count, inputs, element_bytes;
    int samples;
    std::string device, input;
    Words constants, push;
};

/// All objects live until the process ends, so there are no destructors.
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

/// Returns all bytes of a file. Throws std::runtime_error if it cannot be read.
std::vector<char> read_raw(const std::string& path);
/// Opens the first device whose name contains `name`, one of its queues, and the objects of a submission.
void open_device(Vulkan& vulkan, const std::string& name);
/// Creates a buffer in the first memory type with these flags. If `cached`, it prefers a type that the host
/// caches, for buffers that the host reads.
Buffer make_buffer(const Vulkan& vulkan, vk::DeviceSize bytes, vk::MemoryPropertyFlags flags,
                   bool cached = false);
/// Creates the pipeline and binds `bytes` of each buffer in order; the last one is the output, which begins
/// at output_offset.
Kernel make_kernel(const Vulkan& vulkan, const Options& options, const std::vector<Buffer>& buffers,
                   vk::DeviceSize bytes);

}  // namespace bare

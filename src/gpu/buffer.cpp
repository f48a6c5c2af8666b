#include "gpu/buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <stdexcept>

#include "base/units.h"
#include "gpu/buffer_impl.h"

namespace gridstride::gpu {

namespace {

using Flag = vk::MemoryPropertyFlagBits;

/// The property flags by which a memory type is chosen for a MemoryKind.
struct TypePreference {
    vk::MemoryPropertyFlags required;
    vk::MemoryPropertyFlags preferred;
    vk::MemoryPropertyFlags avoided_flags;
};

/// Indexed by MemoryKind.
constexpr std::array<TypePreference, 4> type_preferences = {{
    // Host-visible memory of a discrete GPU can be small, so leave it to buffers that need it.
    {{}, Flag::eDeviceLocal, Flag::eHostVisible},
    // Uncached memory is faster for the host to stream into and for the device to read.
    {Flag::eHostVisible | Flag::eHostCoherent, {}, Flag::eDeviceLocal | Flag::eHostCached},
    // Host reads of uncached memory take some fifty times as long.
    {Flag::eHostVisible | Flag::eHostCoherent, Flag::eHostCached, Flag::eDeviceLocal},
    {Flag::eHostVisible | Flag::eHostCoherent | Flag::eDeviceLocal, {}, Flag::eHostCached},
}};

std::uint32_t choose_memory_type(const vk::PhysicalDeviceMemoryProperties& memory,
                                 std::uint32_t allowed_types, MemoryKind kind) {
    const TypePreference& preference = type_preferences.at(static_cast<std::size_t>(kind));
    const auto count = [](vk::MemoryPropertyFlags flags) {
        return std::popcount(static_cast<std::uint32_t>(flags));
    };
    std::optional<std::uint32_t> best;
    int best_score = 0;
    for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
        const vk::MemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
        if (!(allowed_types & (1u << i)) || (flags & preference.required) != preference.required) continue;
        // One preferred flag outweighs all avoided ones. Of equal types the driver lists the faster first.
        const int score = 8 * count(flags & preference.preferred) - count(flags & preference.avoided_flags);
        if (!best || score > best_score) {
            best = i;
            best_score = score;
        }
    }
    if (!best) throw std::runtime_error("the device has no memory that the host can map");
    return *best;
}

[[noreturn]] void throw_allocation_error(const DeviceCore& core, std::uint64_t bytes,
                                         std::uint64_t heap_bytes, std::string_view reason) {
    throw std::runtime_error(fmt::format("{} of {}'s memory cannot be allocated (its heap holds {}): {}",
                                         format_bytes_beside(bytes, heap_bytes), core.limits().device_name,
                                         format_bytes_beside(heap_bytes, bytes), reason));
}

}  // namespace

Buffer::Buffer(const Device& device, std::uint64_t bytes, MemoryKind kind)
    : impl_(make_device_object<Impl>(device)) {
    Impl& state = *impl_;
    state.bytes = bytes;
    const DeviceCore& core = *state.core;
    const vk::PhysicalDeviceMemoryProperties memory = core.physical.handle.getMemoryProperties();
    // Drivers fail unpredictably on larger allocations.
    if (bytes > core.physical.max_allocation_bytes)
        throw_allocation_error(core, bytes, core.limits().memory_bytes,
                               fmt::format("one allocation is at most {}",
                                           format_bytes_beside(core.physical.max_allocation_bytes, bytes)));

    std::uint64_t heap_bytes = core.limits().memory_bytes;
    try {
        using Usage = vk::BufferUsageFlagBits;
        const vk::BufferCreateInfo create({},
                                          std::max<std::uint64_t>(bytes, 4),  // Vulkan has no empty buffers
                                          Usage::eStorageBuffer | Usage::eTransferSrc | Usage::eTransferDst);
        state.buffer = vk::raii::Buffer(core.device, create);
        const vk::MemoryRequirements needs = state.buffer.getMemoryRequirements();
        const std::uint32_t type = choose_memory_type(memory, needs.memoryTypeBits, kind);
        heap_bytes = memory.memoryHeaps[memory.memoryTypes[type].heapIndex].size;
        if (needs.size > heap_bytes)
            throw_allocation_error(core, bytes, heap_bytes, "it is larger than the heap");

        state.memory = vk::raii::DeviceMemory(core.device, vk::MemoryAllocateInfo(needs.size, type));
        state.buffer.bindMemory(*state.memory, 0);
        if (kind != MemoryKind::device)
            state.mapped = {static_cast<std::byte*>(state.memory.mapMemory(0, VK_WHOLE_SIZE)), bytes};
    } catch (const vk::Error& error) {
        throw_allocation_error(core, bytes, heap_bytes, error.what());
    }
}

std::uint64_t Buffer::bytes() const {
    return impl_->bytes;
}
std::span<std::byte> Buffer::mapped() const {
    return impl_->mapped;
}

}  // namespace gridstride::gpu

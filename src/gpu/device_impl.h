// The Vulkan objects behind Device. For this room's .cpp files: vulkan_raii.hpp is slow to
// compile.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vulkan/vulkan_raii.hpp>

#include "gpu/device.h"

namespace gridstride::gpu {

/// A physical device and what was read about it.
struct PhysicalDevice {
    vk::raii::PhysicalDevice handle{nullptr};
    DeviceInfo info;
    std::uint32_t queue_family = 0;  ///< one that computes, if info.usable
    std::uint64_t max_allocation_bytes = 0;
    bool tells_statistics = false;  ///< of its pipelines: VK_KHR_pipeline_executable_properties
    bool robust_access_2 = false;   ///< writes out of bounds are dropped: VK_EXT_robustness2
};

/// In the order of list_devices(), of an instance that lives as long as the process. Throws NoDevice with
/// advice when there are none. Thread-safe.
std::vector<PhysicalDevice> physical_devices();

/// Puts a structure into the pNext chain of another.
template <class Head, class Link>
void chain(Head& head, Link& link) {
    link.pNext = head.pNext;
    head.pNext = &link;
}

/// The device and its queue, kept alive by everything made from it.
struct DeviceCore {
    PhysicalDevice physical;
    bool robust = false;
    vk::raii::Device device{nullptr};
    vk::raii::Queue queue{nullptr};
    vk::raii::PipelineCache pipeline_cache{nullptr};  ///< one pipeline is asked for again at every run
    std::mutex queue_mutex;                           ///< a VkQueue serves one thread at a time

    /// A submission passed its deadline and is still running. No Vulkan call can end it: vkDestroyDevice and
    /// vkDeviceWaitIdle would not return, and freeing what the kernel uses would let it write into freed
    /// memory. So everything made from the device is left as it is (made_from()) for the end of the process
    /// to clear away; std::_Exit() or a signal ends it at once, while exit() may wait for the driver's
    /// threads.
    std::atomic<bool> given_up = false;

    const Limits& limits() const { return physical.info.limits; }
    const auto& calls() const { return *device.getDispatcher(); }
};

/// What is made from a device goes with the last handle to it. When the device was given up it stays, and
/// with it the core, so that the device is not destroyed either.
template <class Made>
std::shared_ptr<Made> made_from(const Device& device) {
    return {new Made{device.core()}, [](Made* made) {
                if (!made->core->given_up) delete made;
            }};
}

}  // namespace gridstride::gpu

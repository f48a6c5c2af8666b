// The Vulkan objects behind Device. For this room's .cpp files: vulkan_raii.hpp is slow to compile.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>
#include <vulkan/vulkan_raii.hpp>

#include "gpu/device.h"

namespace gridstride::gpu {

/// The instance for compute. One a process; a second one only if validation is turned on after the first was
/// made.
struct Instance {
    vk::raii::Context context;
    std::uint32_t api_version = VK_API_VERSION_1_1;
    vk::raii::Instance instance{nullptr};
    std::optional<vk::raii::DebugUtilsMessengerEXT> messenger;
};

/// Makes it at the first call. Throws NoDevice with advice. Thread-safe.
std::shared_ptr<Instance> shared_instance();

/// A physical device and what was read about it.
struct PhysicalDevice {
    vk::raii::PhysicalDevice handle{nullptr};
    DeviceInfo info;
    std::uint32_t queue_family = 0;  ///< one that computes, if info.usable
    std::uint64_t max_allocation_bytes = 0;
    bool tells_statistics = false;  ///< of its pipelines: VK_KHR_pipeline_executable_properties
    bool robust_access_2 = false;   ///< writes out of bounds are dropped: VK_EXT_robustness2
};

/// In the order of list_devices(). Throws NoDevice when there are none.
std::vector<PhysicalDevice> physical_devices(const Instance& instance);

/// The device and its queue, kept alive by everything made from it.
struct DeviceCore {
    std::shared_ptr<Instance> instance;
    PhysicalDevice physical;
    vk::raii::Device device{nullptr};
    vk::raii::Queue queue{nullptr};
    vk::raii::PipelineCache pipeline_cache{nullptr};  ///< one pipeline is asked for again at every run
    std::mutex queue_mutex;                           ///< a VkQueue serves one thread at a time

    /// A submission passed its deadline and is still running. No Vulkan call can end it: vkDestroyDevice and
    /// vkDeviceWaitIdle would not return, and freeing what the kernel uses would let it write into freed
    /// memory. So everything made from the device is left as it is (abandon()) for the end of the process to
    /// clear away; std::_Exit() or a signal ends it at once, while exit() may wait for the driver's threads.
    std::atomic<bool> given_up = false;

    const Limits& limits() const { return physical.info.limits; }
    const auto& calls() const { return *device.getDispatcher(); }
};

struct Device::Impl {
    std::shared_ptr<DeviceCore> core;
    bool robust = false;
};

/// Keeps a value until the process ends. Thread-safe.
void keep_for_ever(std::shared_ptr<void> value);

/// What the destructors in this room do with their members when the device was given up. The core goes with
/// them, so that the device is not destroyed either.
template <class... Members>
void abandon(std::shared_ptr<DeviceCore> core, Members&... members) {
    using Kept = std::tuple<std::shared_ptr<DeviceCore>, std::remove_reference_t<Members>...>;
    keep_for_ever(std::make_shared<Kept>(std::move(core), std::move(members)...));
}

}  // namespace gridstride::gpu

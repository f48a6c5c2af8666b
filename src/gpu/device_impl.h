// The Vulkan objects behind Device, for the .cpp files of gpu/ only: vulkan_raii.hpp is slow to compile.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vulkan/vulkan_raii.hpp>

#include "gpu/device.h"
#include "shader/cooperative_matrix.h"

namespace gridstride::gpu {

#ifdef GRIDSTRIDE_KHR_COOPERATIVE_MATRIX
using CooperativeMatrixFeatures = vk::PhysicalDeviceCooperativeMatrixFeaturesKHR;
inline constexpr const char* cooperative_matrix_extension = VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME;
#else
using CooperativeMatrixFeatures = vk::PhysicalDeviceCooperativeMatrixFeaturesNV;
inline constexpr const char* cooperative_matrix_extension = VK_NV_COOPERATIVE_MATRIX_EXTENSION_NAME;
#endif

struct PhysicalDevice {
    vk::raii::PhysicalDevice handle{nullptr};
    DeviceInfo info;
    std::uint32_t queue_family = 0;  ///< with compute, if info.usable
    std::uint64_t max_allocation_bytes = 0;
    bool has_pipeline_statistics =
        false;                     ///< reports pipeline statistics: VK_KHR_pipeline_executable_properties
    bool robust_access_2 = false;  ///< drops writes out of bounds: VK_EXT_robustness2
    bool robust_matrix_access = false;  ///< cooperativeMatrixRobustBufferAccess
};

/// Returns the devices in the order of list_devices(). Their instance lives as long as the process. Throws
/// NoDevice with advice if there are none. Thread-safe.
std::vector<PhysicalDevice> physical_devices();

template <class Head, class Link>
void chain(Head& head, Link& link) {
    link.pNext = head.pNext;
    head.pNext = &link;
}

/// The device and its queue, shared by everything created from it.
struct DeviceCore {
    PhysicalDevice physical;
    bool is_robust = false;
    vk::raii::Device device{nullptr};
    vk::raii::Queue queue{nullptr};
    vk::raii::PipelineCache pipeline_cache{nullptr};  ///< shared by repeated builds of one pipeline
    std::mutex queue_mutex;                           ///< VkQueue requires external synchronisation

    /// A submission passed its deadline and is still running. No Vulkan call can end it: vkDestroyDevice and
    /// vkDeviceWaitIdle would not return, and freeing what the kernel uses would let it write into freed
    /// memory. So all objects created from the device leak until the process ends (see make_device_object()).
    /// std::_Exit() or a signal ends it at once; exit() may wait for the driver's threads.
    std::atomic<bool> is_hung = false;

    const Limits& limits() const { return physical.info.limits; }
    const auto& dispatcher() const { return *device.getDispatcher(); }
};

/// Creates an object that belongs to the device and is deleted with its last handle. If the device was given
/// up, the object leaks, and with it the core, so that the device is not destroyed either.
template <class Object>
std::shared_ptr<Object> make_device_object(const Device& device) {
    return {new Object{device.core()}, [](Object* object) {
                if (!object->core->is_hung) delete object;
            }};
}

}  // namespace gridstride::gpu

// Validation settings for Vulkan instances, shared by the compute instance and the window's; and how devices
// are ranked and versions written. Uses Vulkan's C API only.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gridstride::gpu {

std::string format_version(std::uint32_t version);

/// Returns the rank of a kind of device: the lower, the more preferred. Hardware first, software last.
int device_type_rank(VkPhysicalDeviceType type);

/// Empty if validation is off. Messages arrive at take_validation_messages().
struct ValidationSetup {
    std::vector<const char*> layers, extensions;
    /// For VkInstanceCreateInfo::pNext; it also validates the creation of the instance.
    const void* chain = nullptr;
    /// For vkCreateDebugUtilsMessengerEXT once the instance exists.
    const VkDebugUtilsMessengerCreateInfoEXT* messenger = nullptr;
};
/// Throws std::runtime_error if validation is on and the layer is not installed.
ValidationSetup make_validation_setup();

}  // namespace gridstride::gpu

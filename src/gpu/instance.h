// What a Vulkan instance needs to be validated the way this program wants it: for the compute instance in
// this room and for the one that a window makes; how devices are ranked and versions written. Vulkan's C API
// alone.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gridstride::gpu {

/// "1.3.239" of a packed version.
std::string version_text(std::uint32_t version);

/// Which kind of device is preferred: the lower, the more. Real ones first, software last.
int rank_of(VkPhysicalDeviceType type);

/// Empty and null while validation is off. Messages come to take_validation_messages().
struct ValidationSetup {
    std::vector<const char*> layers, extensions;
    /// For VkInstanceCreateInfo::pNext; covers the creation of the instance itself.
    const void* chain = nullptr;
    /// For vkCreateDebugUtilsMessengerEXT once the instance is there.
    const VkDebugUtilsMessengerCreateInfoEXT* messenger = nullptr;
};
/// Throws std::runtime_error when validation is on and the layer is not installed.
ValidationSetup validation_setup();

}  // namespace gridstride::gpu

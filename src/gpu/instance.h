// What a Vulkan instance needs to be validated the way this program wants it: for the compute instance in
// this room and for the one that a window makes. Vulkan's C API alone.
#pragma once

#include <vulkan/vulkan.h>

#include <vector>

namespace gridstride::gpu {

/// Which kind of device is preferred: the lower, the more. Real ones first, software last.
int rank_of(VkPhysicalDeviceType type);

/// Layers, extensions and the pNext chain to put into VkInstanceCreateInfo; all empty while validation is
/// off. Messages come to take_validation_messages(). Keep it alive until vkCreateInstance has returned.
class ValidationSetup {
 public:
    /// Throws std::runtime_error when validation is on and the layer is not installed.
    ValidationSetup();
    // The chain points into the object.
    ValidationSetup(const ValidationSetup&) = delete;
    ValidationSetup& operator=(const ValidationSetup&) = delete;

    bool enabled() const { return !layers_.empty(); }
    const std::vector<const char*>& layers() const { return layers_; }
    const std::vector<const char*>& extensions() const { return extensions_; }
    /// For VkInstanceCreateInfo::pNext; covers the creation of the instance itself.
    const void* chain() const { return enabled() ? &messenger_ : nullptr; }
    /// For vkCreateDebugUtilsMessengerEXT once the instance is there.
    const VkDebugUtilsMessengerCreateInfoEXT& messenger() const { return unchained_messenger_; }

 private:
    std::vector<const char*> layers_;
    std::vector<const char*> extensions_;
    VkValidationFeaturesEXT features_{};
    VkDebugUtilsMessengerCreateInfoEXT messenger_{};
    VkDebugUtilsMessengerCreateInfoEXT unchained_messenger_{};
};

}  // namespace gridstride::gpu

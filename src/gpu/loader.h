// What the Vulkan loader of this machine offers before any device is looked for.
#pragma once

#include <cstdint>
#include <string>

namespace gridstride::gpu {

struct LoaderFacts {
    std::string version;             ///< of the loader, "1.3.239"; empty when it does not say
    bool validation_layer = false;   ///< VK_LAYER_KHRONOS_validation is installed
    std::string validation_version;  ///< the Vulkan version that the layer knows, "1.3.239"
};

/// "1.3.239" of a packed version.
std::string version_text(std::uint32_t version);

/// Makes no instance and needs no driver. Throws nothing but std::bad_alloc.
LoaderFacts loader_facts();

}  // namespace gridstride::gpu

#include "gpu/loader.h"

#include <fmt/format.h>
#include <vulkan/vulkan.h>

#include <string_view>
#include <vector>

namespace gridstride::gpu {

std::string version_text(std::uint32_t version) {
    return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                       VK_API_VERSION_PATCH(version));
}

namespace {

std::vector<VkLayerProperties> installed_layers() {
    std::uint32_t count = 0;
    if (vkEnumerateInstanceLayerProperties(&count, nullptr) != VK_SUCCESS) return {};
    std::vector<VkLayerProperties> layers(count);
    if (vkEnumerateInstanceLayerProperties(&count, layers.data()) != VK_SUCCESS) return {};
    layers.resize(count);
    return layers;
}

}  // namespace

LoaderFacts loader_facts() {
    LoaderFacts facts;
    std::uint32_t version = 0;
    if (vkEnumerateInstanceVersion(&version) == VK_SUCCESS) facts.version = version_text(version);
    for (const VkLayerProperties& layer : installed_layers()) {
        if (std::string_view(layer.layerName) != "VK_LAYER_KHRONOS_validation") continue;
        facts.validation_layer = true;
        facts.validation_version = version_text(layer.specVersion);
    }
    return facts;
}

}  // namespace gridstride::gpu

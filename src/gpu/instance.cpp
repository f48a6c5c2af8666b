#include "gpu/instance.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "gpu/device.h"

namespace gridstride::gpu {

namespace {

constexpr const char* validation_layer = "VK_LAYER_KHRONOS_validation";
constexpr std::size_t max_layer_messages = 1000;  // limits memory when a hazard repeats in a loop

std::atomic<bool>& validation_switch() {
    static std::atomic<bool> on = [] {
        const char* const value = std::getenv("GRIDSTRIDE_VALIDATION");
        return value && std::string_view(value) == "1";
    }();
    return on;
}

struct Messages {
    std::mutex mutex;
    std::vector<std::string> texts;
};

// Never destroyed: a driver may still report messages while the process ends.
Messages& messages() {
    static auto* const all_messages = new Messages;
    return *all_messages;
}

VKAPI_ATTR VkBool32 VKAPI_CALL store_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                             VkDebugUtilsMessageTypeFlagsEXT,
                                             const VkDebugUtilsMessengerCallbackDataEXT* data,
                                             void*) noexcept {
    try {
        std::string text = data->pMessage ? data->pMessage : "a message without text";
        // Older layers prefix the message with the rule's name.
        if (data->pMessageIdName && text.find(data->pMessageIdName) == std::string::npos)
            text = fmt::format("{}: {}", data->pMessageIdName, text);
        log_error(fmt::format("Vulkan validation: {}", text));
        const std::lock_guard lock(messages().mutex);
        if (messages().texts.size() < max_layer_messages) messages().texts.push_back(text);
    } catch (...) {
        // Out of memory. Exceptions must not pass through the driver's frames.
    }
    return VK_FALSE;
}

constexpr VkDebugUtilsMessengerCreateInfoEXT messenger_info{
    VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT, nullptr, 0,
    VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
    // Without "general": there the loader reports drivers for hardware that this machine does not have.
    VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
    store_message, nullptr};

// Synchronisation validation between submissions, a separate and experimental setting of this layer, stays
// off: the program waits for every submission before it makes the next one.
constexpr VkValidationFeatureEnableEXT synchronization_validation =
    VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
constexpr VkValidationFeaturesEXT validation_features{
    VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, &messenger_info, 1, &synchronization_validation, 0, nullptr};

#ifdef VK_EXT_layer_settings
// Layers with this extension check a kernel's accesses only if this setting is on.
constexpr VkBool32 setting_on = VK_TRUE;
constexpr VkLayerSettingEXT shader_accesses_setting{validation_layer, "syncval_shader_accesses_heuristic",
                                                    VK_LAYER_SETTING_TYPE_BOOL32_EXT, 1, &setting_on};
constexpr VkLayerSettingsCreateInfoEXT messenger_chain{VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT,
                                                       &validation_features, 1, &shader_accesses_setting};
#else
constexpr const VkValidationFeaturesEXT& messenger_chain = validation_features;
#endif

}  // namespace

void enable_validation() {
    validation_switch() = true;
}
bool is_validation_enabled() {
    return validation_switch();
}

std::vector<std::string> take_validation_messages() {
    const std::lock_guard lock(messages().mutex);
    return std::exchange(messages().texts, {});
}

std::string format_version(std::uint32_t version) {
    return fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
                       VK_API_VERSION_PATCH(version));
}

LoaderInfo get_loader_info() {
    LoaderInfo info;
    std::uint32_t version = 0;
    if (vkEnumerateInstanceVersion(&version) == VK_SUCCESS) info.version = format_version(version);
    std::uint32_t count = 0;
    if (vkEnumerateInstanceLayerProperties(&count, nullptr) != VK_SUCCESS) return info;
    std::vector<VkLayerProperties> layers(count);
    if (vkEnumerateInstanceLayerProperties(&count, layers.data()) != VK_SUCCESS) return info;
    for (const VkLayerProperties& layer : layers) {
        if (std::string_view(layer.layerName) != validation_layer) continue;
        info.validation_layer = true;
        info.validation_version = format_version(layer.specVersion);
    }
    return info;
}

ValidationSetup make_validation_setup() {
    if (!is_validation_enabled()) return {};
    if (!get_loader_info().validation_layer) {
        throw std::runtime_error(
            "Vulkan validation is requested (GRIDSTRIDE_VALIDATION), but its layer "
            "VK_LAYER_KHRONOS_validation is not installed. Install vulkan-validationlayers, or unset "
            "GRIDSTRIDE_VALIDATION.");
    }
    return {{validation_layer},
            {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME},
            &messenger_chain,
            &messenger_info};
}

}  // namespace gridstride::gpu

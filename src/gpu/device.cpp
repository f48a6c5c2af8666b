#include "gpu/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "gpu/device_impl.h"

namespace gridstride::gpu {

namespace {

std::string format_devices(const std::vector<DeviceInfo>& devices) {
    std::vector<std::string> texts;
    for (const DeviceInfo& device : devices)
        texts.push_back(fmt::format(
            "{}: {}{}", device.index, device.limits.device_name,
            device.is_usable ? "" : " (cannot be used: no compute queue or older than Vulkan 1.1)"));
    return join(texts, ", ");
}

std::vector<DeviceInfo> collect_infos(const std::vector<PhysicalDevice>& devices) {
    std::vector<DeviceInfo> infos;
    for (const PhysicalDevice& device : devices)
        infos.push_back(device.info);
    return infos;
}

vk::raii::Device make_device(const PhysicalDevice& physical, bool is_robust) {
    const float priority = 1.0f;
    const vk::DeviceQueueCreateInfo queue({}, physical.queue_family, 1, &priority);

    vk::PhysicalDeviceFeatures2 features;
    features.features.shaderFloat64 = physical.info.limits.float64;
    vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
    std::vector<const char*> extensions;
    if (physical.info.limits.float32_atomic_add) {
        atomic_float.shaderBufferFloat32AtomicAdd = true;
        extensions.push_back(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
        chain(features, atomic_float);
    }
    vk::PhysicalDevice16BitStorageFeatures storage16;
    if (physical.info.limits.storage16) {
        features.features.shaderInt16 = true;
        storage16.storageBuffer16BitAccess = true;
        chain(features, storage16);
    }
    vk::PhysicalDeviceShaderFloat16Int8Features float16;
    if (physical.info.limits.float16) {
        float16.shaderFloat16 = true;
        float16.shaderInt8 = physical.info.limits.byte_matrices;
        chain(features, float16);
    }
    vk::PhysicalDeviceShaderIntegerDotProductFeatures integer_dot;
    if (physical.info.limits.integer_dot) {
        extensions.push_back(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME);
        integer_dot.shaderIntegerDotProduct = true;
        chain(features, integer_dot);
    }
    CooperativeMatrixFeatures cooperative_matrix;
    vk::PhysicalDeviceVulkanMemoryModelFeatures memory_model;
    if (physical.info.limits.cooperative_matrix) {
        extensions.push_back(cooperative_matrix_extension);
        cooperative_matrix.cooperativeMatrix = true;
        cooperative_matrix.cooperativeMatrixRobustBufferAccess = is_robust && physical.robust_matrix_access;
        chain(features, cooperative_matrix);
        memory_model.vulkanMemoryModel = memory_model.vulkanMemoryModelDeviceScope = true;
        chain(features, memory_model);
    }
    vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR statistics;
    if (physical.has_pipeline_statistics) {
        extensions.push_back(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
        statistics.pipelineExecutableInfo = true;
        chain(features, statistics);
    }
    vk::PhysicalDeviceRobustness2FeaturesEXT robust_access_2;
    vk::PhysicalDeviceShaderSMBuiltinsFeaturesNV sm_builtins;
    vk::PhysicalDeviceShaderClockFeaturesKHR clock;
    if (is_robust) {
        features.features.robustBufferAccess = true;  // supported by every device
        if (physical.robust_access_2) {
            extensions.push_back(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME);
            robust_access_2.robustBufferAccess2 = true;
            chain(features, robust_access_2);
        }
        if (physical.info.limits.multiprocessor_and_clock) {
            extensions.push_back(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME);
            extensions.push_back(VK_KHR_SHADER_CLOCK_EXTENSION_NAME);
            sm_builtins.shaderSMBuiltins = clock.shaderDeviceClock = true;
            chain(features, sm_builtins);
            chain(features, clock);
        }
    }
    vk::DeviceCreateInfo create({}, queue, {}, extensions);
    create.pNext = &features;
    return vk::raii::Device(physical.handle, create);
}

std::shared_ptr<DeviceCore> open_device(PhysicalDevice physical, bool is_robust) {
    auto core = std::make_shared<DeviceCore>();
    core->physical = std::move(physical);
    core->is_robust = is_robust;
    try {
        core->device = make_device(core->physical, is_robust);
        core->queue = vk::raii::Queue(core->device, core->physical.queue_family, 0);
        core->pipeline_cache = vk::raii::PipelineCache(core->device, vk::PipelineCacheCreateInfo());
    } catch (const vk::Error& error) {
        throw NoDevice(fmt::format("{} cannot be opened: {}", core->limits().device_name, error.what()));
    }
    return core;
}

}  // namespace

std::vector<DeviceInfo> list_devices() {
    return collect_infos(physical_devices());
}

std::size_t find_device(const std::vector<DeviceInfo>& devices, std::string_view selector) {
    if (selector.empty()) {
        for (std::size_t i = 0; i < devices.size(); ++i)
            if (devices[i].is_usable) return i;
        throw NoDevice(
            fmt::format("No Vulkan device here can compute. Found: {}. Update the driver of one, or install "
                        "mesa-vulkan-drivers, whose software driver computes on the CPU.",
                        format_devices(devices)));
    }

    // A number above the last index may still be a part of a name ("4090").
    if (const auto index = parse_number<std::size_t>(selector); index && *index < devices.size()) {
        if (devices[*index].is_usable) return *index;
        throw NoDevice(fmt::format("Device {} cannot be used. Found: {}. Choose another one.", *index,
                                   format_devices(devices)));
    }
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const std::string name = to_lower(devices[i].limits.device_name);
        if (devices[i].is_usable && name.find(to_lower(std::string(selector))) != std::string::npos) return i;
    }
    throw NoDevice(
        fmt::format("No usable Vulkan device is called \"{}\". Found: {}. Name one by its number or by a "
                    "part of its name.",
                    selector, format_devices(devices)));
}

Device::Device(std::string_view selector) {
    std::vector<PhysicalDevice> devices = physical_devices();
    core_ = open_device(std::move(devices[find_device(collect_infos(devices), selector)]), false);
}

Device Device::open_robust() const {
    Device device = *this;
    device.core_ = open_device(core_->physical, true);
    return device;
}

bool Device::is_hung() const {
    return core_->is_hung;
}
const Limits& Device::limits() const {
    return core_->limits();
}
bool Device::is_robust() const {
    return core_->is_robust;
}

}  // namespace gridstride::gpu

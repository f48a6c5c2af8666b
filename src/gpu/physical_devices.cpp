// Creates the Vulkan instance and reads the properties and limits of its devices.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/text.h"
#include "gpu/device_impl.h"
#include "gpu/instance.h"

namespace gridstride::gpu {

namespace {

/// Returns the number of iterations after which llvmpipe silently ends the loops of an invocation
/// (LP_MAX_TGSI_LOOP_ITERATIONS); 0: never. `driver_info` is "Mesa 22.3.6 (LLVM 15.0.6)". 22.3 has the cap
/// and 25.0 does not; for versions between them the cap is assumed, which costs only additional slices.
std::uint64_t llvmpipe_loop_iterations(std::string_view driver_info) {
    int major = 0;
    if (driver_info.starts_with("Mesa "))
        std::from_chars(driver_info.data() + 5, driver_info.data() + driver_info.size(), major);
    return major >= 25 ? 0 : 65535;
}

/// NVIDIA's generations since Kepler have this many 32-bit registers in a multiprocessor, and at most this
/// many resident workgroups (some have 16 or 24): CUDA C++ Programming Guide, table "Technical Specifications
/// per Compute Capability".
constexpr std::uint32_t nvidia_registers = 65536;
constexpr std::uint32_t nvidia_workgroups = 32;

/// Workgroup memory has this many banks; successive 32-bit words lie in successive banks: CUDA C++
/// Programming Guide, "Shared Memory" of compute capability 5.x and later; Intel oneAPI GPU Optimization
/// Guide, "Shared Local Memory". Devices are recognised by the vendors' PCI ids.
constexpr std::uint32_t nvidia_vendor = 0x10de, nvidia_banks = 32;
constexpr std::uint32_t intel_vendor = 0x8086, intel_banks = 16;

std::string no_device_message(std::string_view reason) {
    std::string text = fmt::format(
        "No Vulkan device: {}. Install mesa-vulkan-drivers (its software driver needs no GPU) or the driver "
        "of the GPU's vendor; vulkaninfo --summary lists what Vulkan finds.",
        reason);
    for (const char* variable : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES"}) {
        if (const char* value = std::getenv(variable))
            text +=
                fmt::format(" {} is set to \"{}\": the loader looks for no other driver.", variable, value);
    }
    return text;
}

struct Instance {
    vk::raii::Context context;
    vk::raii::Instance instance{nullptr};
    vk::raii::DebugUtilsMessengerEXT messenger{nullptr};
};

std::unique_ptr<Instance> make_instance() {
    const ValidationSetup validation = make_validation_setup();
    try {
        auto new_instance = std::make_unique<Instance>();
        const std::uint32_t loader_version = new_instance->context.enumerateInstanceVersion();
        if (loader_version < VK_API_VERSION_1_1)
            throw NoDevice(no_device_message("the Vulkan loader is older than 1.1"));
        const vk::ApplicationInfo application("gridstride", 1, nullptr, 0,
                                              std::min<std::uint32_t>(loader_version, VK_API_VERSION_1_3));
        const vk::InstanceCreateInfo create({}, &application, validation.layers, validation.extensions,
                                            validation.chain);
        new_instance->instance = vk::raii::Instance(new_instance->context, create);
        if (validation.messenger)
            new_instance->messenger = {new_instance->instance,
                                       vk::DebugUtilsMessengerCreateInfoEXT(*validation.messenger)};
        return new_instance;
    } catch (const vk::IncompatibleDriverError&) {
        throw NoDevice(no_device_message("the Vulkan loader finds no driver"));
    } catch (const vk::Error& error) {
        throw NoDevice(no_device_message(error.what()));
    }
}

/// Returns the instance for compute, created at the first call. There is a second one only if validation is
/// enabled later.
const vk::raii::Instance& shared_instance() {
    static std::mutex mutex;
    // Never destroyed: when the process ends, the drivers' statics may already be destroyed.
    static Instance* plain = nullptr;
    static Instance* validated = nullptr;
    const std::lock_guard lock(mutex);
    Instance*& instance_slot = is_validation_enabled() ? validated : plain;
    if (!instance_slot) instance_slot = make_instance().release();
    return instance_slot->instance;
}

/// Returns a queue family with compute; families with timestamps are preferred.
std::optional<std::uint32_t> find_compute_family(const std::vector<vk::QueueFamilyProperties>& families) {
    std::optional<std::uint32_t> found;
    for (std::uint32_t i = 0; i < families.size(); ++i) {
        if (!(families[i].queueFlags & vk::QueueFlagBits::eCompute)) continue;
        if (families[i].timestampValidBits > 0) return i;
        if (!found) found = i;
    }
    return found;
}

std::uint64_t largest_heap_bytes(const vk::PhysicalDeviceMemoryProperties& memory) {
    std::uint64_t local = 0;
    std::uint64_t any = 0;
    for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
        const vk::MemoryHeap& heap = memory.memoryHeaps[i];
        any = std::max<std::uint64_t>(any, heap.size);
        if (heap.flags & vk::MemoryHeapFlagBits::eDeviceLocal)
            local = std::max<std::uint64_t>(local, heap.size);
    }
    return local ? local : any;
}

void read_subgroup_operations(const vk::PhysicalDeviceSubgroupProperties& subgroup, Limits& limits) {
    using Feature = vk::SubgroupFeatureFlagBits;
    if (!(subgroup.supportedStages & vk::ShaderStageFlagBits::eCompute)) return;
    const auto has = [&](Feature feature) { return bool(subgroup.supportedOperations & feature); };
    limits.subgroup_vote = has(Feature::eVote);
    limits.subgroup_arithmetic = has(Feature::eArithmetic);
    limits.subgroup_ballot = has(Feature::eBallot);
    limits.subgroup_shuffle = has(Feature::eShuffle);
    limits.subgroup_shuffle_relative = has(Feature::eShuffleRelative);
    limits.subgroup_clustered = has(Feature::eClustered);
    limits.subgroup_quad = has(Feature::eQuad);
}

/// Sets which matrices subgroups multiply. Requires that Limits::cooperative_matrix holds whether the
/// features for it exist.
void read_matrix_shapes(const vk::raii::PhysicalDevice& handle, bool has_bytes, Limits& limits) {
    if (!limits.cooperative_matrix) return;
#ifdef GRIDSTRIDE_KHR_COOPERATIVE_MATRIX
    const auto shapes = handle.getCooperativeMatrixPropertiesKHR();
    constexpr auto byte = vk::ComponentTypeKHR::eSint8, integer = vk::ComponentTypeKHR::eSint32;
#else
    const auto shapes = handle.getCooperativeMatrixPropertiesNV();
    constexpr auto byte = vk::ComponentTypeNV::eSint8, integer = vk::ComponentTypeNV::eSint32;
#endif
    using Shape = decltype(shapes)::value_type;
    using Component = decltype(Shape::AType);
    const auto multiplies = [&](Component factor, std::uint32_t k, Component sum) {
        return std::ranges::any_of(shapes, [&](const Shape& shape) {
            return shape.MSize == 16 && shape.NSize == 16 && shape.KSize == k && shape.AType == factor &&
                   shape.BType == factor && shape.CType == sum &&
                   shape.scope == decltype(shape.scope)::eSubgroup;
        });
    };
    limits.cooperative_matrix = multiplies(Component::eFloat16, 16, Component::eFloat32) &&
                                multiplies(Component::eFloat16, 16, Component::eFloat16);
    limits.byte_matrices = limits.cooperative_matrix && has_bytes && multiplies(byte, 32, integer);
}

/// Reads the properties that need Vulkan 1.1 or an extension. Requires a device of 1.1 or later.
void read_properties(const vk::raii::PhysicalDevice& handle, PhysicalDevice& device) {
    const auto extensions = handle.enumerateDeviceExtensionProperties();
    const auto has = [&](std::string_view name) {
        return std::ranges::any_of(extensions, [&](const vk::ExtensionProperties& extension) {
            return std::string_view(extension.extensionName) == name;
        });
    };
    const bool has_driver_properties = handle.getProperties().apiVersion >= VK_API_VERSION_1_2 ||
                                       has(VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);

    vk::PhysicalDeviceProperties2 properties;
    vk::PhysicalDeviceSubgroupProperties subgroup;
    vk::PhysicalDeviceMaintenance3Properties allocation;
    vk::PhysicalDeviceDriverProperties driver;
    vk::PhysicalDeviceShaderSMBuiltinsPropertiesNV nvidia;
    vk::PhysicalDeviceShaderCorePropertiesAMD amd;
    vk::PhysicalDeviceShaderCoreProperties2AMD amd_active;
    chain(properties, subgroup);
    chain(properties, allocation);
    if (has_driver_properties) chain(properties, driver);
    if (has(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) chain(properties, nvidia);
    if (has(VK_AMD_SHADER_CORE_PROPERTIES_EXTENSION_NAME)) chain(properties, amd);
    if (has(VK_AMD_SHADER_CORE_PROPERTIES_2_EXTENSION_NAME)) chain(properties, amd_active);
    vk::PhysicalDeviceShaderIntegerDotProductProperties dot_products;
    if (has(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) chain(properties, dot_products);
    (*handle).getProperties2(&properties, *handle.getDispatcher());

    Limits& limits = device.info.limits;
    device.max_allocation_bytes = allocation.maxMemoryAllocationSize;
    limits.subgroup_size = subgroup.subgroupSize;
    read_subgroup_operations(subgroup, limits);
    if (has_driver_properties) {
        limits.driver_version = printable(
            fmt::format("{} {}", std::string_view(driver.driverName), std::string_view(driver.driverInfo)));
        if (driver.driverID == vk::DriverId::eMesaLlvmpipe)
            limits.loop_iterations = llvmpipe_loop_iterations(std::string_view(driver.driverInfo));
        if (driver.driverID == vk::DriverId::eNvidiaProprietary) {
            limits.registers_per_multiprocessor = nvidia_registers;
            limits.workgroups_per_multiprocessor = nvidia_workgroups;
        }
    }
    if (nvidia.shaderSMCount > 0) {
        limits.multiprocessors = nvidia.shaderSMCount;
        limits.subgroups_per_multiprocessor = nvidia.shaderWarpsPerSM;
    } else if (amd.shaderEngineCount > 0) {
        limits.multiprocessors =
            amd.shaderEngineCount * amd.shaderArraysPerEngineCount * amd.computeUnitsPerShaderArray;
        // The product counts the units of the full chip, activeComputeUnitCount those that are not fused off.
        if (amd_active.activeComputeUnitCount > 0) limits.multiprocessors = amd_active.activeComputeUnitCount;
        limits.subgroups_per_multiprocessor = amd.simdPerComputeUnit * amd.wavefrontsPerSimd;
    }

    vk::PhysicalDeviceFeatures2 features;
    vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
    if (has(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME)) chain(features, atomic_float);
    vk::PhysicalDevice16BitStorageFeatures storage16;
    chain(features, storage16);
    vk::PhysicalDeviceShaderFloat16Int8Features float16;
    chain(features, float16);
    vk::PhysicalDeviceShaderIntegerDotProductFeatures integer_dot;
    if (has(VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME)) chain(features, integer_dot);
    CooperativeMatrixFeatures cooperative_matrix;
    if (has(cooperative_matrix_extension)) chain(features, cooperative_matrix);
    vk::PhysicalDeviceVulkanMemoryModelFeatures memory_model;
    if (handle.getProperties().apiVersion >= VK_API_VERSION_1_2) chain(features, memory_model);
    vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR statistics;
    if (has(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME)) chain(features, statistics);
    vk::PhysicalDeviceRobustness2FeaturesEXT robust_access_2;
    if (has(VK_EXT_ROBUSTNESS_2_EXTENSION_NAME)) chain(features, robust_access_2);
    vk::PhysicalDeviceShaderSMBuiltinsFeaturesNV sm_builtins;
    if (has(VK_NV_SHADER_SM_BUILTINS_EXTENSION_NAME)) chain(features, sm_builtins);
    vk::PhysicalDeviceShaderClockFeaturesKHR clock;
    if (has(VK_KHR_SHADER_CLOCK_EXTENSION_NAME)) chain(features, clock);
    (*handle).getFeatures2(&features, *handle.getDispatcher());
    limits.float64 = features.features.shaderFloat64;
    limits.storage16 = features.features.shaderInt16 && storage16.storageBuffer16BitAccess;
    limits.float16 = float16.shaderFloat16;
    limits.float32_atomic_add = atomic_float.shaderBufferFloat32AtomicAdd;
    limits.integer_dot = integer_dot.shaderIntegerDotProduct;
    limits.integer_dot_accelerated = dot_products.integerDotProduct4x8BitPackedSignedAccelerated;
    limits.cooperative_matrix = cooperative_matrix.cooperativeMatrix && limits.float16 && limits.storage16 &&
                                memory_model.vulkanMemoryModel && memory_model.vulkanMemoryModelDeviceScope;
    read_matrix_shapes(handle, float16.shaderInt8, limits);
    device.robust_matrix_access = cooperative_matrix.cooperativeMatrixRobustBufferAccess;
    limits.multiprocessor_and_clock = sm_builtins.shaderSMBuiltins && clock.shaderDeviceClock;
    device.has_pipeline_statistics = statistics.pipelineExecutableInfo;
    device.robust_access_2 = robust_access_2.robustBufferAccess2;
}

/// Parses "32768K" as bytes; 0 if it is not a size.
std::uint64_t parse_bytes(const std::string& text) {
    std::uint32_t number = 0;
    const auto [unit, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc()) return 0;
    return std::uint64_t{number} << (*unit == 'G' ? 30 : *unit == 'M' ? 20 : *unit == 'K' ? 10 : 0);
}

std::string read_first_word(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string word;
    stream >> word;
    return word;
}

/// Vulkan does not report cache sizes. For a software device the processor's is used. For a GPU a size is
/// assumed that few caches exceed (an H100 and an H200 have 50 MB, an RTX 4090 72 MB, a B200 126 MB, an
/// RX 6900 128 MiB), so that data said to exceed the cache does.
void read_cache(Limits& limits) {
    constexpr std::uint64_t assumed_cache_bytes = std::uint64_t{128} << 20;
    const std::uint64_t reported_value =
        limits.is_cpu ? processor_cache_bytes("/sys/devices/system/cpu/cpu0/cache") : 0;
    limits.is_cache_assumed = reported_value == 0;
    limits.cache_bytes = reported_value > 0 ? reported_value : assumed_cache_bytes;
}

PhysicalDevice read_device(vk::raii::PhysicalDevice handle) {
    PhysicalDevice device;
    const vk::PhysicalDeviceProperties properties = handle.getProperties();
    const std::vector<vk::QueueFamilyProperties> families = handle.getQueueFamilyProperties();
    const auto family = find_compute_family(families);

    device.info.api_version = format_version(properties.apiVersion);
    device.info.is_usable = family && properties.apiVersion >= VK_API_VERSION_1_1;

    const vk::PhysicalDeviceLimits& reported_value = properties.limits;
    Limits& limits = device.info.limits;
    limits.device_name = printable(properties.deviceName.data());
    limits.driver_version = format_version(properties.driverVersion);
    limits.is_cpu = properties.deviceType == vk::PhysicalDeviceType::eCpu;
    if (!limits.is_cpu && properties.vendorID == nvidia_vendor) limits.shared_banks = nvidia_banks;
    if (!limits.is_cpu && properties.vendorID == intel_vendor) limits.shared_banks = intel_banks;
    limits.max_workgroup_size =
        std::min(reported_value.maxComputeWorkGroupSize[0], reported_value.maxComputeWorkGroupInvocations);
    const auto& sizes = reported_value.maxComputeWorkGroupSize;
    limits.max_workgroup = {sizes[0], sizes[1], sizes[2]};
    const auto& counts = reported_value.maxComputeWorkGroupCount;
    limits.max_grid = {counts[0], counts[1], counts[2]};
    limits.max_bindings =
        std::min({reported_value.maxPerStageDescriptorStorageBuffers,
                  reported_value.maxDescriptorSetStorageBuffers, reported_value.maxPerStageResources});
    limits.max_shared_bytes = reported_value.maxComputeSharedMemorySize;
    limits.max_binding_bytes = reported_value.maxStorageBufferRange;
    limits.binding_alignment = reported_value.minStorageBufferOffsetAlignment;
    limits.memory_bytes = largest_heap_bytes(handle.getMemoryProperties());
    limits.timestamp_period_ns = reported_value.timestampPeriod;
    read_cache(limits);
    if (family) {
        device.queue_family = *family;
        limits.timestamp_valid_bits = families[*family].timestampValidBits;
    }
    if (properties.apiVersion >= VK_API_VERSION_1_1) read_properties(handle, device);
    device.handle = std::move(handle);
    return device;
}

}  // namespace

std::uint64_t processor_cache_bytes(const std::filesystem::path& folder) {
    std::uint64_t largest = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        if (read_first_word(entry->path() / "type") == "Instruction") continue;
        largest = std::max(largest, parse_bytes(read_first_word(entry->path() / "size")));
    }
    return largest;
}

int device_type_rank(VkPhysicalDeviceType type) {
    constexpr int other = 3;
    // Indexed by VkPhysicalDeviceType: other, integrated, discrete, virtual, CPU.
    constexpr std::array ranks = {other, 1, 0, 2, 4};
    const auto index = static_cast<std::size_t>(type);
    return index < ranks.size() ? ranks[index] : other;
}

std::vector<PhysicalDevice> physical_devices() {
    std::vector<vk::raii::PhysicalDevice> handles;
    try {
        handles = vk::raii::PhysicalDevices(shared_instance());
    } catch (const vk::Error& error) {
        throw NoDevice(no_device_message(error.what()));
    }
    if (handles.empty())
        throw NoDevice(no_device_message("the installed drivers find no hardware that they support"));

    const auto rank = [](const vk::raii::PhysicalDevice& device) {
        return device_type_rank(static_cast<VkPhysicalDeviceType>(device.getProperties().deviceType));
    };
    std::ranges::stable_sort(handles, {}, rank);
    std::vector<PhysicalDevice> devices;
    for (vk::raii::PhysicalDevice& handle : handles) {
        devices.push_back(read_device(std::move(handle)));
        devices.back().info.index = devices.size() - 1;
    }
    return devices;
}

}  // namespace gridstride::gpu

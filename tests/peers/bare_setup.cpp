// Creates the Vulkan objects that a dispatch needs. Khronos' C++ header makes the C calls and throws if one
// fails.
#include "bare_setup.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace bare {

std::vector<char> read_raw(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + " cannot be read");
    return {std::istreambuf_iterator<char>(file), {}};
}

void open_device(Vulkan& vulkan, const std::string& name) {
    const vk::ApplicationInfo application({}, {}, {}, {}, VK_API_VERSION_1_2);
    const auto devices = vk::createInstance({{}, &application}).enumeratePhysicalDevices();
    const auto has_name = [&](const vk::PhysicalDevice& device) {
        return std::string(device.getProperties().deviceName).find(name) != std::string::npos;
    };
    const auto found = std::find_if(devices.begin(), devices.end(), has_name);
    if (found == devices.end()) throw std::runtime_error("no Vulkan device is named " + name);
    vulkan.physical = *found;
    vulkan.properties = vulkan.physical.getProperties();

    const auto families = vulkan.physical.getQueueFamilyProperties();
    while (vulkan.family < families.size() &&
           !(families[vulkan.family].queueFlags & vk::QueueFlagBits::eCompute))
        ++vulkan.family;
    if (vulkan.family == families.size()) throw std::runtime_error("the device has no queue for compute");
    const std::uint32_t bits = families[vulkan.family].timestampValidBits;
    if (bits == 0) throw std::runtime_error("the device's queue has no timestamps");
    vulkan.tick_mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;

    const float priority = 1;
    const vk::DeviceQueueCreateInfo queue({}, vulkan.family, 1, &priority);
    // The device is created with all its features except robust access.
    auto features =
        vulkan.physical.getFeatures2<vk::PhysicalDeviceFeatures2, vk::PhysicalDevice16BitStorageFeatures>();
    features.get().features.robustBufferAccess = VK_FALSE;
    vulkan.device = vulkan.physical.createDevice({{}, queue, {}, {}, nullptr, &features.get()});
    vulkan.queue = vulkan.device.getQueue(vulkan.family, 0);

    const vk::CommandPool pool =
        vulkan.device.createCommandPool({vk::CommandPoolCreateFlagBits::eResetCommandBuffer, vulkan.family});
    vulkan.commands =
        vulkan.device.allocateCommandBuffers({pool, vk::CommandBufferLevel::ePrimary, 1}).front();
    vulkan.fence = vulkan.device.createFence({});
    vulkan.queries = vulkan.device.createQueryPool({{}, vk::QueryType::eTimestamp, 2});
}

Buffer make_buffer(const Vulkan& vulkan, vk::DeviceSize bytes, vk::MemoryPropertyFlags flags, bool cached) {
    Buffer buffer;
    buffer.buffer = vulkan.device.createBuffer({{},
                                                bytes,
                                                vk::BufferUsageFlagBits::eStorageBuffer |
                                                    vk::BufferUsageFlagBits::eTransferSrc |
                                                    vk::BufferUsageFlagBits::eTransferDst});
    const vk::MemoryRequirements needs = vulkan.device.getBufferMemoryRequirements(buffer.buffer);
    const vk::PhysicalDeviceMemoryProperties memory = vulkan.physical.getMemoryProperties();
    const auto is_cached = [&](std::uint32_t type) {
        return bool(memory.memoryTypes[type].propertyFlags & vk::MemoryPropertyFlagBits::eHostCached);
    };
    std::uint32_t type = memory.memoryTypeCount;
    for (std::uint32_t i = memory.memoryTypeCount; i-- > 0;) {
        if (!(needs.memoryTypeBits >> i & 1) || (memory.memoryTypes[i].propertyFlags & flags) != flags)
            continue;
        const bool has_cached_type = type < memory.memoryTypeCount && cached && is_cached(type);
        if ((cached && is_cached(i)) || !has_cached_type) type = i;
    }
    if (type == memory.memoryTypeCount)
        throw std::runtime_error("the device has no memory type with the required flags");
    const vk::DeviceMemory allocated = vulkan.device.allocateMemory({needs.size, type});
    vulkan.device.bindBufferMemory(buffer.buffer, allocated, 0);
    if (flags & vk::MemoryPropertyFlagBits::eHostVisible)
        buffer.mapped = vulkan.device.mapMemory(allocated, 0, VK_WHOLE_SIZE);
    return buffer;
}

Kernel make_kernel(const Vulkan& vulkan, const Options& options, const std::vector<Buffer>& buffers,
                   vk::DeviceSize bytes) {
    Kernel kernel;
    kernel.workgroups = options.workgroup_count;
    // The constants of shaders/common/launch.glsl: first, count, total, first workgroup, workgroups, fresh,
    // last. The kernel's own constants follow.
    const std::uint32_t n = options.elements, groups = options.workgroup_count;
    kernel.push = {n, groups, n, 1, groups, 1, n, 0, 0, 1, 1, 0};
    kernel.push.insert(kernel.push.end(), options.push.begin(), options.push.end());

    constexpr auto storage = vk::DescriptorType::eStorageBuffer;
    constexpr auto compute = vk::ShaderStageFlagBits::eCompute;
    const auto count = static_cast<std::uint32_t>(buffers.size());
    std::vector<vk::DescriptorSetLayoutBinding> bindings;
    for (std::uint32_t i = 0; i < count; ++i)
        bindings.emplace_back(i, storage, 1, compute);
    const vk::DescriptorSetLayout set_layout = vulkan.device.createDescriptorSetLayout({{}, bindings});
    const vk::PushConstantRange range(compute, 0, static_cast<std::uint32_t>(4 * kernel.push.size()));
    kernel.layout = vulkan.device.createPipelineLayout({{}, set_layout, range});

    const std::vector<char> spirv = read_raw(options.kernel);
    Words code(spirv.size() / 4);
    std::memcpy(code.data(), spirv.data(), 4 * code.size());
    Words constants{options.workgroup_size, 1, 1};
    constants.insert(constants.end(), options.constants.begin(), options.constants.end());
    std::vector<vk::SpecializationMapEntry> entries;
    for (std::uint32_t id = 0; id < constants.size(); ++id)
        entries.emplace_back(id, 4 * id, 4);
    const vk::SpecializationInfo specialisation(static_cast<std::uint32_t>(entries.size()), entries.data(),
                                                4 * constants.size(), constants.data());
    const vk::PipelineShaderStageCreateInfo stage({}, compute, vulkan.device.createShaderModule({{}, code}),
                                                  "main", &specialisation);
    kernel.pipeline = vulkan.device.createComputePipeline({}, {{}, stage, kernel.layout}).value;

    const vk::DescriptorPoolSize size(storage, count);
    const vk::DescriptorPool pool = vulkan.device.createDescriptorPool({{}, 1, size});
    kernel.set = vulkan.device.allocateDescriptorSets({pool, set_layout}).front();
    for (std::uint32_t i = 0; i < count; ++i) {
        const vk::DescriptorBufferInfo content(buffers[i].buffer, i + 1 == count ? output_offset : 0, bytes);
        vulkan.device.updateDescriptorSets(vk::WriteDescriptorSet(kernel.set, i, 0, storage, {}, content),
                                           {});
    }
    return kernel;
}

}  // namespace bare

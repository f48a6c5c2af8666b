// Vulkan's long way to a kernel that can be dispatched, in C.
#include "bare_setup.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace bare {

void require(VkResult result, const char* call) {
    if (result != VK_SUCCESS)
        throw std::runtime_error(std::string(call) + " failed: VkResult " + std::to_string(result));
}

std::vector<char> read_raw(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(path + " cannot be read");
    return {std::istreambuf_iterator<char>(file), {}};
}

namespace {

void choose_device(Vulkan& vulkan, VkInstance instance, const std::string& wanted) {
    std::uint32_t count = 0;
    require(vkEnumeratePhysicalDevices(instance, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> devices(count);
    require(vkEnumeratePhysicalDevices(instance, &count, devices.data()), "vkEnumeratePhysicalDevices");
    for (VkPhysicalDevice device : devices) {
        vkGetPhysicalDeviceProperties(device, &vulkan.properties);
        vulkan.physical = device;
        if (std::string(vulkan.properties.deviceName).find(wanted) != std::string::npos) return;
    }
    throw std::runtime_error("no Vulkan device is named " + wanted);
}

}  // namespace

void open_device(Vulkan& vulkan, const std::string& wanted) {
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo instance_info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    instance_info.pApplicationInfo = &application;
    VkInstance instance = nullptr;
    require(vkCreateInstance(&instance_info, nullptr, &instance), "vkCreateInstance");
    choose_device(vulkan, instance, wanted);

    std::uint32_t count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(vulkan.physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(vulkan.physical, &count, families.data());
    while (vulkan.family < count && !(families[vulkan.family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        ++vulkan.family;
    if (vulkan.family == count) throw std::runtime_error("the device has no queue for compute");
    const std::uint32_t bits = families[vulkan.family].timestampValidBits;
    if (bits == 0) throw std::runtime_error("the device's queue has no timestamps");
    vulkan.tick_mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;

    const float priority = 1;
    VkDeviceQueueCreateInfo queue_info{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue_info.queueFamilyIndex = vulkan.family;
    queue_info.queueCount = 1;
    queue_info.pQueuePriorities = &priority;
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    VkPhysicalDevice16BitStorageFeatures storage16{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES};
    features.pNext = &storage16;
    vkGetPhysicalDeviceFeatures2(vulkan.physical, &features);  // all that there are
    VkDeviceCreateInfo device_info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    device_info.pNext = &features;
    device_info.queueCreateInfoCount = 1;
    device_info.pQueueCreateInfos = &queue_info;
    features.features.robustBufferAccess = VK_FALSE;
    require(vkCreateDevice(vulkan.physical, &device_info, nullptr, &vulkan.device), "vkCreateDevice");
    vkGetDeviceQueue(vulkan.device, vulkan.family, 0, &vulkan.queue);

    VkCommandPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool_info.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pool_info.queueFamilyIndex = vulkan.family;
    VkCommandPool pool = nullptr;
    require(vkCreateCommandPool(vulkan.device, &pool_info, nullptr, &pool), "vkCreateCommandPool");
    VkCommandBufferAllocateInfo commands_info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    commands_info.commandPool = pool;
    commands_info.commandBufferCount = 1;
    require(vkAllocateCommandBuffers(vulkan.device, &commands_info, &vulkan.commands),
            "vkAllocateCommandBuffers");
    VkFenceCreateInfo fence_info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    require(vkCreateFence(vulkan.device, &fence_info, nullptr, &vulkan.fence), "vkCreateFence");
    VkQueryPoolCreateInfo query_info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    query_info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    query_info.queryCount = 2;
    require(vkCreateQueryPool(vulkan.device, &query_info, nullptr, &vulkan.queries), "vkCreateQueryPool");
}

Buffer make_buffer(const Vulkan& vulkan, VkDeviceSize bytes, VkMemoryPropertyFlags flags, bool cached) {
    Buffer made;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    require(vkCreateBuffer(vulkan.device, &info, nullptr, &made.buffer), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(vulkan.device, made.buffer, &needs);
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(vulkan.physical, &memory);
    std::uint32_t type = memory.memoryTypeCount;
    for (std::uint32_t i = memory.memoryTypeCount; i-- > 0;) {
        const VkMemoryPropertyFlags has = memory.memoryTypes[i].propertyFlags;
        if (!(needs.memoryTypeBits >> i & 1) || (has & flags) != flags) continue;
        const bool better = cached && (has & VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
        const bool had = type < memory.memoryTypeCount && cached &&
                         (memory.memoryTypes[type].propertyFlags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
        if (better || !had) type = i;
    }
    if (type == memory.memoryTypeCount)
        throw std::runtime_error("the device has no memory of the wanted kind");
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.allocationSize = needs.size;
    allocate.memoryTypeIndex = type;
    VkDeviceMemory handle = nullptr;
    require(vkAllocateMemory(vulkan.device, &allocate, nullptr, &handle), "vkAllocateMemory");
    require(vkBindBufferMemory(vulkan.device, made.buffer, handle, 0), "vkBindBufferMemory");
    if (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)
        require(vkMapMemory(vulkan.device, handle, 0, VK_WHOLE_SIZE, 0, &made.mapped), "vkMapMemory");
    return made;
}

Kernel make_kernel(const Vulkan& vulkan, const Wanted& wanted, const std::vector<Buffer>& buffers,
                   VkDeviceSize bytes) {
    Kernel made;
    made.workgroups = wanted.workgroup_count;
    // shaders/common/launch.glsl: first, count, total, first workgroup, workgroups, fresh, last; then the
    // kernel's own.
    made.push = {wanted.elements,
                 wanted.workgroup_count,
                 wanted.elements,
                 1,
                 wanted.workgroup_count,
                 1,
                 wanted.elements,
                 0,
                 0,
                 1,
                 1,
                 0};
    made.push.insert(made.push.end(), wanted.push.begin(), wanted.push.end());

    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (std::uint32_t i = 0; i < buffers.size(); ++i)
        bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    VkDescriptorSetLayoutCreateInfo set_info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    set_info.bindingCount = static_cast<std::uint32_t>(bindings.size());
    set_info.pBindings = bindings.data();
    VkDescriptorSetLayout set_layout = nullptr;
    require(vkCreateDescriptorSetLayout(vulkan.device, &set_info, nullptr, &set_layout),
            "vkCreateDescriptorSetLayout");
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                    static_cast<std::uint32_t>(4 * made.push.size())};
    VkPipelineLayoutCreateInfo layout_info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout_info.setLayoutCount = 1;
    layout_info.pSetLayouts = &set_layout;
    layout_info.pushConstantRangeCount = 1;
    layout_info.pPushConstantRanges = &range;
    require(vkCreatePipelineLayout(vulkan.device, &layout_info, nullptr, &made.layout),
            "vkCreatePipelineLayout");

    const std::vector<char> spirv = read_raw(wanted.kernel);
    Words code(spirv.size() / 4);
    std::memcpy(code.data(), spirv.data(), 4 * code.size());
    VkShaderModuleCreateInfo module_info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    module_info.codeSize = 4 * code.size();
    module_info.pCode = code.data();
    VkShaderModule module = nullptr;
    require(vkCreateShaderModule(vulkan.device, &module_info, nullptr, &module), "vkCreateShaderModule");
    Words constants{wanted.workgroup_size, 1, 1};
    constants.insert(constants.end(), wanted.constants.begin(), wanted.constants.end());
    std::vector<VkSpecializationMapEntry> entries;
    for (std::uint32_t id = 0; id < constants.size(); ++id)
        entries.push_back({id, 4 * id, 4});
    const VkSpecializationInfo specialisation{static_cast<std::uint32_t>(entries.size()), entries.data(),
                                              4 * constants.size(), constants.data()};
    VkComputePipelineCreateInfo pipeline_info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    pipeline_info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    pipeline_info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    pipeline_info.stage.module = module;
    pipeline_info.stage.pName = "main";
    pipeline_info.stage.pSpecializationInfo = &specialisation;
    pipeline_info.layout = made.layout;
    require(vkCreateComputePipelines(vulkan.device, nullptr, 1, &pipeline_info, nullptr, &made.pipeline),
            "vkCreateComputePipelines");

    const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                    static_cast<std::uint32_t>(buffers.size())};
    VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool_info.maxSets = 1;
    pool_info.poolSizeCount = 1;
    pool_info.pPoolSizes = &size;
    VkDescriptorPool pool = nullptr;
    require(vkCreateDescriptorPool(vulkan.device, &pool_info, nullptr, &pool), "vkCreateDescriptorPool");
    VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    allocate.descriptorPool = pool;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &set_layout;
    require(vkAllocateDescriptorSets(vulkan.device, &allocate, &made.set), "vkAllocateDescriptorSets");
    for (std::uint32_t i = 0; i < buffers.size(); ++i) {
        const VkDescriptorBufferInfo content{buffers[i].buffer, i + 1 == buffers.size() ? output_offset : 0,
                                             bytes};
        VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstSet = made.set;
        write.dstBinding = i;
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &content;
        vkUpdateDescriptorSets(vulkan.device, 1, &write, 0, nullptr);
    }
    return made;
}

}  // namespace bare

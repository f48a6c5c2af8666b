#include "gpu/kernel.h"

#include <fmt/format.h>

#include <stdexcept>

#include "gpu/kernel_impl.h"

namespace gridstride::gpu {

namespace {

vk::raii::DescriptorSetLayout make_set_layout(const DeviceCore& core, std::uint32_t storage_buffers) {
    std::vector<vk::DescriptorSetLayoutBinding> bindings;
    for (std::uint32_t i = 0; i < storage_buffers; ++i)
        bindings.emplace_back(i, vk::DescriptorType::eStorageBuffer, 1, vk::ShaderStageFlagBits::eCompute);
    return {core.device, vk::DescriptorSetLayoutCreateInfo({}, bindings)};
}

vk::raii::PipelineLayout make_pipeline_layout(const DeviceCore& core,
                                              const vk::DescriptorSetLayout& set_layout,
                                              std::uint32_t push_bytes) {
    const vk::PushConstantRange range(vk::ShaderStageFlagBits::eCompute, 0, push_bytes);
    vk::PipelineLayoutCreateInfo create({}, set_layout);
    if (push_bytes > 0) create.setPushConstantRanges(range);
    return {core.device, create};
}

vk::raii::Pipeline make_pipeline(const DeviceCore& core, const std::vector<std::uint32_t>& spirv,
                                 const vk::PipelineLayout& layout, std::uint32_t workgroup_size,
                                 std::span<const std::uint32_t> constants) {
    std::vector<std::uint32_t> values{workgroup_size};
    values.insert(values.end(), constants.begin(), constants.end());
    std::vector<vk::SpecializationMapEntry> entries;
    for (std::uint32_t id = 0; id < values.size(); ++id)
        entries.emplace_back(id, static_cast<std::uint32_t>(id * sizeof(std::uint32_t)),
                             sizeof(std::uint32_t));
    const vk::SpecializationInfo specialisation(static_cast<std::uint32_t>(entries.size()), entries.data(),
                                                values.size() * sizeof(std::uint32_t), values.data());

    const vk::raii::ShaderModule module(core.device, vk::ShaderModuleCreateInfo({}, spirv));
    const vk::PipelineShaderStageCreateInfo stage({}, vk::ShaderStageFlagBits::eCompute, *module, "main",
                                                  &specialisation);
    return {core.device, core.pipeline_cache, vk::ComputePipelineCreateInfo({}, stage, layout)};
}

}  // namespace

Kernel::Kernel(Device& device, const std::vector<std::uint32_t>& spirv, const std::string& name,
               std::uint32_t storage_buffers, std::uint32_t push_bytes, std::uint32_t workgroup_size,
               std::span<const std::uint32_t> constants)
    : impl_(std::make_unique<Impl>()) {
    Impl& made = *impl_;
    made.core = device.impl().core;
    made.name = name;
    made.storage_buffers = storage_buffers;
    made.push_bytes = push_bytes;
    const DeviceCore& core = *made.core;
    try {
        made.set_layout = make_set_layout(core, storage_buffers);
        made.pipeline_layout = make_pipeline_layout(core, *made.set_layout, push_bytes);
        made.pipeline = make_pipeline(core, spirv, *made.pipeline_layout, workgroup_size, constants);
    } catch (const vk::Error& error) {
        throw std::runtime_error(fmt::format("kernel {}: {}", name, error.what()));
    }
}

Kernel::~Kernel() = default;
Kernel::Kernel(Kernel&&) noexcept = default;
Kernel& Kernel::operator=(Kernel&&) noexcept = default;

}  // namespace gridstride::gpu

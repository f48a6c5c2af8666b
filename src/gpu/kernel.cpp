#include "gpu/kernel.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

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

vk::raii::Pipeline make_pipeline(const Device::Impl& device, const std::vector<std::uint32_t>& spirv,
                                 const vk::PipelineLayout& layout, std::span<const std::uint32_t> constants) {
    const DeviceCore& core = *device.core;
    std::vector<vk::SpecializationMapEntry> entries;
    for (std::uint32_t id = 0; id < constants.size(); ++id)
        entries.emplace_back(id, static_cast<std::uint32_t>(id * sizeof(std::uint32_t)),
                             sizeof(std::uint32_t));
    const vk::SpecializationInfo specialisation(static_cast<std::uint32_t>(entries.size()), entries.data(),
                                                constants.size_bytes(), constants.data());

    const vk::raii::ShaderModule module(core.device, vk::ShaderModuleCreateInfo({}, spirv));
    const vk::PipelineShaderStageCreateInfo stage({}, vk::ShaderStageFlagBits::eCompute, *module, "main",
                                                  &specialisation);
    vk::PipelineCreateFlags flags;
    if (core.physical.tells_statistics) flags |= vk::PipelineCreateFlagBits::eCaptureStatisticsKHR;
    const vk::ComputePipelineCreateInfo create(flags, stage, layout);
    try {
        return {core.device, core.pipeline_cache, create};
    } catch (const vk::Error& error) {
        throw PipelineRefused(error.what());
    }
}

/// What the driver's compiler says of the pipeline's one executable; 0 when it does not name registers.
std::uint32_t read_registers(const DeviceCore& core, const vk::raii::Pipeline& pipeline) {
    if (!core.physical.tells_statistics) return 0;
    const vk::PipelineInfoKHR asked(*pipeline);
    if (core.device.getPipelineExecutablePropertiesKHR(asked).empty()) return 0;
    for (const vk::PipelineExecutableStatisticKHR& statistic :
         core.device.getPipelineExecutableStatisticsKHR(vk::PipelineExecutableInfoKHR(*pipeline, 0))) {
        // NVIDIA's name for it. The names are the driver's own, and other drivers count other registers.
        const bool named = std::string_view(statistic.name.data()) == "Register Count";
        if (named && statistic.format == vk::PipelineExecutableStatisticFormatKHR::eUint64)
            return static_cast<std::uint32_t>(statistic.value.u64);
    }
    return 0;
}

}  // namespace

Kernel::Kernel(Device& device, const std::vector<std::uint32_t>& spirv, const std::string& name,
               std::uint32_t storage_buffers, std::uint32_t push_bytes,
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
        made.pipeline = make_pipeline(device.impl(), spirv, *made.pipeline_layout, constants);
        made.registers = read_registers(core, made.pipeline);
    } catch (const vk::Error& error) {
        throw std::runtime_error(fmt::format("kernel {}: {}", name, error.what()));
    }
}

Kernel::~Kernel() = default;
Kernel::Kernel(Kernel&&) noexcept = default;
Kernel& Kernel::operator=(Kernel&&) noexcept = default;

std::uint32_t Kernel::registers() const {
    return impl_->registers;
}

}  // namespace gridstride::gpu

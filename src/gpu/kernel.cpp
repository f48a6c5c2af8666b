#include "gpu/kernel.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "gpu/kernel_impl.h"

namespace gridstride::gpu {

namespace {

vk::raii::Pipeline make_pipeline(const DeviceCore& core, const std::vector<std::uint32_t>& spirv,
                                 const vk::PipelineLayout& layout, std::span<const std::uint32_t> constants) {
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
    if (core.physical.has_pipeline_statistics) flags |= vk::PipelineCreateFlagBits::eCaptureStatisticsKHR;
    const vk::ComputePipelineCreateInfo create(flags, stage, layout);
    try {
        return {core.device, core.pipeline_cache, create};
    } catch (const vk::Error& error) {
        throw PipelineError(error.what());
    }
}

/// Reads the register count of the pipeline's one executable; 0 if the driver does not report it.
std::uint32_t read_registers(const DeviceCore& core, const vk::raii::Pipeline& pipeline) {
    if (!core.physical.has_pipeline_statistics) return 0;
    const vk::PipelineInfoKHR info(*pipeline);
    if (core.device.getPipelineExecutablePropertiesKHR(info).empty()) return 0;
    for (const vk::PipelineExecutableStatisticKHR& statistic :
         core.device.getPipelineExecutableStatisticsKHR(vk::PipelineExecutableInfoKHR(*pipeline, 0))) {
        // NVIDIA's name. The names are driver-specific, and other drivers count other registers.
        const bool named = std::string_view(statistic.name.data()) == "Register Count";
        if (named && statistic.format == vk::PipelineExecutableStatisticFormatKHR::eUint64)
            return static_cast<std::uint32_t>(statistic.value.u64);
    }
    return 0;
}

}  // namespace

Kernel::Kernel(const Device& device, const std::vector<std::uint32_t>& spirv, const std::string& name,
               std::uint32_t storage_buffers, std::uint32_t push_bytes,
               std::span<const std::uint32_t> constants)
    : impl_(make_device_object<Impl>(device)) {
    Impl& state = *impl_;
    state.name = name;
    state.storage_buffers = storage_buffers;
    state.push_bytes = push_bytes;
    const DeviceCore& core = *state.core;
    try {
        std::vector<vk::DescriptorSetLayoutBinding> bindings;
        for (std::uint32_t i = 0; i < storage_buffers; ++i)
            bindings.emplace_back(i, vk::DescriptorType::eStorageBuffer, 1,
                                  vk::ShaderStageFlagBits::eCompute);
        state.set_layout = {core.device, vk::DescriptorSetLayoutCreateInfo({}, bindings)};
        const vk::PushConstantRange range(vk::ShaderStageFlagBits::eCompute, 0, push_bytes);
        vk::PipelineLayoutCreateInfo layout({}, *state.set_layout);
        if (push_bytes > 0) layout.setPushConstantRanges(range);
        state.pipeline_layout = {core.device, layout};
        state.pipeline = make_pipeline(core, spirv, *state.pipeline_layout, constants);
        state.registers = read_registers(core, state.pipeline);
    } catch (const vk::Error& error) {
        throw std::runtime_error(fmt::format("kernel {}: {}", name, error.what()));
    }
}

std::uint32_t Kernel::registers() const {
    return impl_->registers;
}

}  // namespace gridstride::gpu

// Checks a kernel's needs against the device's limits and the launch, before the driver sees the kernel.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string_view>

#include "base/error.h"
#include "base/units.h"
#include "lab/user_kernels.h"
#include "shader/cooperative_matrix.h"

namespace gridstride::lab {

namespace {

/// The reasons to refuse a kernel: sentences that begin with its name.
struct RefusalReasons {
    const std::string& kernel;
    std::vector<std::string> all = {};

    template <class... Values>
    void add(fmt::format_string<const Values&...> text, const Values&... values) {
        all.push_back(kernel + fmt::format(text, values...));
    }
};

/// Limit for the variables of one invocation. The software driver keeps them on a thread's stack, for all
/// lanes at once: with 64 KiB each it runs, with 256 KiB it crashes the process.
constexpr std::uint64_t max_private_bytes = std::uint64_t{64} << 10;

/// Capabilities and extensions that a kernel may need, by their SPIR-V names, and the member that tells
/// whether the device was opened with it (see gpu/device.cpp); null: always enabled.
struct Feature {
    std::string_view name;
    bool Limits::*enabled;
    std::string_view advice = "Do without it.";
};
constexpr std::string_view matrix_advice =
    "Include common/cooperative_matrix.glsl, which does without where there are no matrix units.";
constexpr Feature capabilities[] = {
    {"Shader", nullptr},
    {"Matrix", nullptr},
    {"GroupNonUniform", nullptr},
    {"Float64", &Limits::float64},
    {"Int16", &Limits::storage16},
    {"Float16", &Limits::float16},
    {"StorageBuffer16BitAccess", &Limits::storage16},
    {"StorageUniformBufferBlock16", &Limits::storage16},
    {"AtomicFloat32AddEXT", &Limits::float32_atomic_add},
    {"GroupNonUniformVote", &Limits::subgroup_vote},
    {"GroupNonUniformArithmetic", &Limits::subgroup_arithmetic},
    {"GroupNonUniformBallot", &Limits::subgroup_ballot},
    {"GroupNonUniformShuffle", &Limits::subgroup_shuffle},
    {"GroupNonUniformShuffleRelative", &Limits::subgroup_shuffle_relative},
    {"GroupNonUniformClustered", &Limits::subgroup_clustered},
    {"GroupNonUniformQuad", &Limits::subgroup_quad},
    // SPIR-V 1.6 dropped the suffix of two names; which form appears depends on the tools' version.
    {"DotProduct", &Limits::integer_dot},
    {"DotProductKHR", &Limits::integer_dot},
    {"DotProductInput4x8BitPacked", &Limits::integer_dot},
    {"DotProductInput4x8BitPackedKHR", &Limits::integer_dot},
    {"VulkanMemoryModel", &Limits::cooperative_matrix},
    {"VulkanMemoryModelDeviceScope", &Limits::cooperative_matrix},
    {shader::cooperative_matrix_capability, &Limits::cooperative_matrix, matrix_advice},
    {"Int8", &Limits::byte_matrices},
    {"ShaderSMBuiltinsNV", &Limits::multiprocessor_and_clock},
    {"ShaderClockKHR", &Limits::multiprocessor_and_clock},
};
constexpr Feature extensions[] = {
    {"SPV_KHR_storage_buffer_storage_class", nullptr},
    {"SPV_KHR_16bit_storage", &Limits::storage16},
    {"SPV_EXT_shader_atomic_float_add", &Limits::float32_atomic_add},
    {"SPV_KHR_integer_dot_product", &Limits::integer_dot},
    {"SPV_KHR_vulkan_memory_model", &Limits::cooperative_matrix},
    {shader::cooperative_matrix_spirv, &Limits::cooperative_matrix, matrix_advice},
    {"SPV_NV_shader_sm_builtins", &Limits::multiprocessor_and_clock},
    {"SPV_KHR_shader_clock", &Limits::multiprocessor_and_clock},
};

void check_enabled(std::string_view kind, const std::vector<std::string>& needed,
                   std::span<const Feature> features, const Limits& device, RefusalReasons& reasons) {
    for (const std::string& name : needed) {
        const auto known = std::ranges::find(features, name, &Feature::name);
        if (known != features.end() && (!known->enabled || device.*known->enabled)) continue;
        reasons.add(" needs the {} {}, which is not enabled on {}. {}", kind, name, device.device_name,
                    known == features.end() ? "Do without it." : known->advice);
    }
}

void check_features(const shader::KernelRequirements& needs, const Limits& device, RefusalReasons& reasons) {
    check_enabled("capability", needs.capabilities, capabilities, device, reasons);
    check_enabled("extension", needs.extensions, extensions, device, reasons);
    if (needs.uses_shared_float_atomics)
        reasons.add(
            " adds floats atomically in workgroup memory, which is not enabled here. Add them in "
            "a storage buffer, or by compare and swap on their bits.");
    for (const std::uint32_t id : needs.non_word_constants)
        reasons.add(
            "'s specialisation constant {} is not 4 bytes wide; the lesson gives it 4. Declare it as uint, "
            "int, float or bool.",
            id);
}

void check_memory(const shader::KernelRequirements& needs, const Limits& device, RefusalReasons& reasons) {
    if (needs.shared_bytes > device.max_shared_bytes)
        reasons.add(
            " declares {} bytes of workgroup memory; {} allows {} (maxComputeSharedMemorySize). Make its "
            "shared arrays smaller.",
            format_count(needs.shared_bytes), device.device_name, format_count(device.max_shared_bytes));
    if (needs.private_bytes > max_private_bytes)
        reasons.add(
            "'s variables take {} bytes for each invocation; Gridstride runs kernels of up to {}. Make its "
            "arrays smaller, or use a storage buffer.",
            format_count(needs.private_bytes), format_count(max_private_bytes));
}

void check_launch(const shader::KernelRequirements& needs, const LaunchInterface& launch,
                  RefusalReasons& reasons) {
    const auto [x, y, z] = needs.local_size;
    const Extent& expected_size = launch.workgroup;
    if (x != expected_size.along(0) || y != expected_size.along(1) || z != expected_size.along(2))
        reasons.add(
            " has workgroups of {} x {} x {} invocations, but the workgroup size in force is {}. Include "
            "common/launch.glsl or write layout(local_size_x_id = 0{}{}) in; to follow it.",
            x, y, z, text_of(expected_size), expected_size.y > 0 ? ", local_size_y_id = 1" : "",
            expected_size.z > 0 ? ", local_size_z_id = 2" : "");
    if (needs.push_bytes > launch.push_bytes)
        reasons.add(
            "'s push constants take {} bytes, but the lesson passes {}. Declare only the parameters of the "
            "lesson's kernel.",
            needs.push_bytes, launch.push_bytes);
    for (const shader::BindingRequirement& need : needs.bindings) {
        const std::string place = fmt::format("set {}, binding {}", need.set, need.binding);
        if (!need.is_storage_buffer || need.array)
            reasons.add(
                " declares something other than a single storage buffer at {}, but the lesson binds only "
                "storage buffers. Declare one buffer there.",
                place);
        else if (need.set != 0 || need.binding >= launch.bindings.size())
            reasons.add(
                " uses the buffer at {}, but the lesson binds {} in set 0, from binding 0. Use one of those.",
                place, launch.bindings.size());
    }
}

}  // namespace

shader::KernelRequirements admit(const std::vector<std::uint32_t>& spirv, const LaunchInterface& launch,
                                 const Limits& device, const Replacement* replacement,
                                 const std::string& name) {
    // An invalid module can crash a driver's compiler.
    if (const std::string invalid = shader::validate(spirv); !invalid.empty())
        throw std::runtime_error(
            fmt::format("The kernel's SPIR-V is invalid, so it was not passed to the driver: {}.", invalid));
    shader::KernelRequirements needs;
    try {
        needs = shader::inspect(spirv, launch.constants);
    } catch (const std::exception& error) {
        throw Refusal(fmt::format("{} cannot be checked before it runs: {}.", name, error.what()));
    }
    RefusalReasons reasons{name};
    if (!needs.has_compute_main) reasons.add(" has no compute entry point void main().");
    check_features(needs, device, reasons);
    check_memory(needs, device, reasons);
    const std::size_t before = reasons.all.size();
    check_launch(needs, launch, reasons);
    if (replacement)
        std::ranges::move(find_interface_mismatches(*replacement, needs, launch, reasons.all.size() > before),
                          std::back_inserter(reasons.all));
    if (!reasons.all.empty()) throw Refusal(std::move(reasons.all));
    return needs;
}

}  // namespace gridstride::lab

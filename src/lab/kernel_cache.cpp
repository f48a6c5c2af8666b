#include "lab/kernel_cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "shader/compiler.h"
#include "shader/inspect.h"
#include "shader/kernel_store.h"

namespace gridstride::lab {

namespace {
/// More than a typical session needs; at the limit the cache is cleared.
constexpr std::size_t max_entries = 512;

/// Reading push constants beyond those that are passed is undefined behaviour.
void require_push_constants(const Dispatch& dispatch, std::uint64_t needed_bytes,
                            std::uint64_t passed_bytes) {
    if (needed_bytes <= passed_bytes) return;
    const std::uint64_t launch_bytes = launch_words * sizeof(std::uint32_t);
    throw std::runtime_error(fmt::format(
        "{} has {} bytes of push constants after the launch's own (its PARAMETERS), but the plan's dispatch "
        "\"{}\" passes {}. Add them to its `push`, in the same order.",
        dispatch.kernel, needed_bytes - launch_bytes, dispatch.label, passed_bytes - launch_bytes));
}

/// The source is generated or ships with the program, so it is trusted and needs no separate process.
std::vector<std::uint32_t> compile_generated(const Dispatch& dispatch) {
    if (dispatch.has_untrusted_source())
        throw std::logic_error(
            fmt::format("the kernel of \"{}\" is the user's: UserKernels must compile it", dispatch.label));
    const KernelSource file = dispatch.file_source.value_or(KernelSource{.name = dispatch.kernel});
    shader::CompileResult result = shader::compile(dispatch.source + file.text, file.name, {},
                                                   {data_directory() / "shaders"}, file.lesson_files);
    if (!result.ok())
        throw std::logic_error(fmt::format("the kernel generated for \"{}\" does not compile: {}",
                                           dispatch.label, result.text()));
    return std::move(result.spirv);
}

/// From this size on, the variables of an invocation are the probable cause: no register file holds them. An
/// NVIDIA H200 (driver 580) refuses 60 kB.
constexpr std::uint64_t suspicious_private_bytes = std::uint64_t{8} << 10;

std::string refusal_message(const std::string& kernel, const std::string& device,
                            const std::string& driver_message, std::uint64_t private_bytes) {
    const std::string summary = fmt::format(
        "The driver of {} could not build {}. Its only message is \"{}\".", device, kernel, driver_message);
    if (private_bytes < suspicious_private_bytes)
        return summary +
               " Nothing in the kernel exceeds a limit that the device reports. Remove parts of it until it "
               "can be built: the last part that you removed is what the driver refuses.";
    return fmt::format(
        "{} The variables of the kernel take {} bytes for each invocation, which is probably more than this "
        "driver can place. Make its arrays smaller, or keep them in workgroup memory or in a storage buffer.",
        summary, format_count(private_bytes));
}
}  // namespace

LaunchWords make_launch_words(const Extent& domain, const Extent& grid, const Slice& slice, bool last) {
    const unsigned cut = domain.dimensions() - 1;
    const std::array<std::uint64_t, launch_words> words = {slice.count,           grid.along(cut),
                                                           domain.along(0),       domain.along(1),
                                                           grid.along(0),         grid.along(1),
                                                           domain.along(cut),     slice.first,
                                                           slice.first_workgroup, slice.is_first ? 1u : 0u,
                                                           last ? 1u : 0u,        0};
    LaunchWords narrow;
    std::ranges::transform(words, narrow.begin(),
                           [](std::uint64_t word) { return static_cast<std::uint32_t>(word); });
    return narrow;
}

LaunchWords make_launch_words(std::uint32_t elements, std::uint32_t workgroups) {
    return make_launch_words({elements}, {workgroups}, {0, elements, 0, workgroups, true}, true);
}

std::vector<std::uint32_t> get_constants(const Dispatch& dispatch) {
    std::vector<std::uint32_t> constants;
    for (unsigned dimension = 0; dimension < 3; ++dimension)
        constants.push_back(static_cast<std::uint32_t>(dispatch.workgroup.along(dimension)));
    constants.insert(constants.end(), dispatch.constants.begin(), dispatch.constants.end());
    return constants;
}

std::uint32_t get_push_bytes(const Dispatch& dispatch) {
    return static_cast<std::uint32_t>((launch_words + dispatch.push.size()) * sizeof(std::uint32_t));
}

KernelCache::Module& KernelCache::module(const Dispatch& dispatch) {
    if (!modules_.contains(dispatch.kernel))
        put(dispatch.kernel,
            dispatch.source.empty() ? shader::load_kernel(dispatch.kernel) : compile_generated(dispatch),
            dispatch.kernel);
    return modules_.at(dispatch.kernel);
}

const shader::KernelInterface& KernelCache::interface(const Dispatch& dispatch) {
    Module& kernel = module(dispatch);
    if (!kernel.interface) kernel.interface = shader::read_interface(kernel.spirv);
    return *kernel.interface;
}

std::shared_ptr<KernelCache::Entry> KernelCache::get(const Dispatch& dispatch) {
    const std::string key = fmt::format("{}|{}|{}|{}", dispatch.kernel, join(get_constants(dispatch), ","),
                                        dispatch.bindings.size(), dispatch.push.size());
    if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
    const auto& [spirv, title, interface] = module(dispatch);
    if (entries_.size() >= max_entries) entries_.clear();
    const std::uint32_t push_bytes = get_push_bytes(dispatch);
    const shader::KernelRequirements needs = shader::inspect(spirv, get_constants(dispatch));
    require_push_constants(dispatch, needs.push_bytes, push_bytes);
    const Limits& limits = device_.limits();
    // A driver may refuse it, or lose the device.
    if (needs.shared_bytes > limits.max_shared_bytes)
        throw Refusal(
            "{} needs {} bytes of workgroup memory; {} allows {} (maxComputeSharedMemorySize). Choose a "
            "smaller workgroup, or another device.",
            title, format_count(needs.shared_bytes), limits.device_name,
            format_count(limits.max_shared_bytes));
    try {
        gpu::Kernel kernel(device_, spirv, title, static_cast<std::uint32_t>(dispatch.bindings.size()),
                           push_bytes, get_constants(dispatch));
        return entries_[key] = std::make_shared<Entry>(Entry{std::move(kernel), needs.shared_bytes});
    } catch (const gpu::PipelineError& refused) {
        throw std::runtime_error(
            refusal_message(title, device_.limits().device_name, refused.what(), needs.private_bytes));
    }
}

void KernelCache::put(const std::string& kernel, std::vector<std::uint32_t> spirv, const std::string& title) {
    modules_[kernel] = {std::move(spirv), title};
}

void KernelCache::erase(const std::string& kernel) {
    modules_.erase(kernel);
    std::erase_if(entries_, [&](const auto& entry) { return entry.first.starts_with(kernel + "|"); });
}

}  // namespace gridstride::lab

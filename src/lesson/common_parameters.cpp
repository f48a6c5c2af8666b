#include "lesson/common_parameters.h"

#include <fmt/format.h>

#include "base/units.h"

namespace gridstride {

namespace {

/// Kernels index with 32 bits and step by the whole grid, so the index must not wrap: see plan.h.
constexpr double most_elements = 1u << 30;
constexpr double most_workgroups = 1u << 30;

}  // namespace

std::vector<Parameter> common_parameters(std::uint64_t default_elements,
                                         std::uint64_t default_workgroup_size) {
    Parameter elements{.id = std::string(key::elements.id),
                       .label = "Elements",
                       .unit = "elements",
                       .help = "How many numbers the GPU works on.",
                       .fallback = default_elements,
                       .minimum = 1,
                       .maximum = most_elements,
                       .scale = Scale::logarithmic};
    Parameter size{.id = std::string(key::workgroup_size.id),
                   .label = "Workgroup size",
                   .unit = "invocations",
                   .help = "How many invocations share one workgroup's memory and barriers.",
                   .fallback = default_workgroup_size,
                   .minimum = 1,
                   .maximum = 4096,
                   .scale = Scale::powers_of_two,
                   .shapes_input = false,
                   .limit = [](const Limits& limits) {
                       return DeviceLimit{limits.max_workgroup_size, "maxComputeWorkGroupInvocations"};
                   }};
    Parameter count{
        .id = std::string(key::workgroup_count.id),
        .label = "Workgroups",
        .unit = "workgroups",
        .help = "The grid: how many workgroups are launched; auto is the variant's natural choice.",
        .fallback = std::uint64_t{0},
        .minimum = 1,
        .maximum = most_workgroups,
        .scale = Scale::logarithmic,
        .automatic = true,
        .shapes_input = false,
        .limit = [](const Limits& limits) {
            return DeviceLimit{limits.max_workgroup_count, "maxComputeWorkGroupCount"};
        }};
    Parameter seed{.id = std::string(key::seed.id),
                   .label = "Seed",
                   .unit = "",
                   .help = "Chooses the random input; the same seed gives the same bytes on every machine.",
                   .fallback = std::uint64_t{1},
                   .minimum = 0,
                   .maximum = 4294967295.0};
    return {std::move(elements), std::move(size), std::move(count), std::move(seed)};
}

std::vector<Remark> common_remarks(const Values& values, std::uint64_t workgroup_count,
                                   const Limits& limits) {
    std::vector<Remark> remarks;
    const std::uint64_t size = values[key::workgroup_size];
    const std::uint64_t width = limits.subgroup_size;
    const std::uint64_t subgroups = (size + width - 1) / width;
    const std::string size_id(key::workgroup_size.id);
    if (size % width != 0) {
        const std::uint64_t idle = subgroups * width - size;
        remarks.push_back({Severity::caution, size_id,
                           fmt::format("{} is not a multiple of {}: {} of the last subgroup's {} lanes idle.",
                                       size, width, idle, width)});
    } else {
        remarks.push_back({Severity::note, size_id,
                           subgroups == 1
                               ? fmt::format("One subgroup of {}. Every lane is used.", width)
                               : fmt::format("{} subgroups of {}. Every lane is used.", subgroups, width)});
    }
    const std::uint64_t invocations = size * workgroup_count;
    const std::uint64_t elements = values[key::elements];
    const std::string count_id(key::workgroup_count.id);
    std::string text =
        fmt::format("{} invocations for {} elements.", format_count(invocations), format_count(elements));
    remarks.push_back({Severity::note, count_id, std::move(text)});
    return remarks;
}

}  // namespace gridstride

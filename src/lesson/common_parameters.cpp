#include "lesson/common_parameters.h"

#include <algorithm>
#include <iterator>

#include "base/language.h"

namespace gridstride {

namespace {

/// Kernels index with 32 bits and advance by the whole grid, so the index must not wrap: see plan.h.
constexpr double max_elements = 1u << 30;
constexpr double max_workgroups = 1u << 30;

Parameter workgroup_parameter(std::string_view id, Value default_value, std::string label) {
    return {.id = std::string(id),
            .label = std::move(label),
            .unit = tr_later("invocations"),
            .help = tr("How many invocations a workgroup has. They share its memory and its barriers."),
            .default_value = default_value,
            .minimum = 1,
            .maximum = 4096,
            .scale = Scale::powers_of_two,
            .invalidates = Invalidates::launch,
            .limit = [](const Limits& limits) {
                return DeviceLimit{limits.max_workgroup_size, "maxComputeWorkGroupInvocations"};
            }};
}

Parameter grid_parameter(std::string_view id, Value automatic, std::string label) {
    return {.id = std::string(id),
            .label = std::move(label),
            .unit = tr_later("workgroups"),
            .help = tr("The grid: how many workgroups are launched. auto is the variant's default grid."),
            .default_value = automatic,
            .minimum = 1,
            .maximum = max_workgroups,
            .scale = Scale::logarithmic,
            .is_automatic = true,
            .invalidates = Invalidates::launch,
            .limit = {}};
}

Parameter seed_parameter() {
    return {.id = std::string(key::seed.id),
            .label = tr("Seed"),
            .unit = "",
            .help = tr("Seed of the random input. The same seed gives the same bytes on every machine."),
            .default_value = std::uint64_t{1},
            .minimum = 0,
            .maximum = 4294967295.0};
}

}  // namespace

Parameter domain_parameter(std::string id, std::string label, std::uint64_t default_value, std::string help) {
    return {.id = std::move(id),
            .label = std::move(label),
            .unit = tr_later("elements"),
            .help = std::move(help),
            .default_value = default_value,
            .minimum = 1,
            .maximum = max_elements,
            .scale = Scale::logarithmic};
}

std::vector<Parameter> common_parameters(std::uint64_t default_elements, std::uint64_t default_workgroup_size,
                                         std::vector<Parameter> own) {
    Parameter count = grid_parameter(key::workgroup_count.id, std::uint64_t{0}, tr("Workgroups"));
    count.limit = [](const Limits& limits) {
        return DeviceLimit{limits.max_grid.x, "maxComputeWorkGroupCount"};
    };
    std::vector<Parameter> all = {
        domain_parameter(std::string(key::elements.id), tr("Elements"), default_elements,
                         tr("How many numbers the GPU processes.")),
        workgroup_parameter(key::workgroup_size.id, default_workgroup_size, tr("Workgroup size")),
        std::move(count), seed_parameter()};
    std::move(own.begin(), own.end(), std::back_inserter(all));
    return all;
}

std::vector<Parameter> common_parameters(std::vector<Parameter> domain, const Extent& default_workgroup,
                                         std::vector<Parameter> own) {
    const Extent automatic{0, 1, default_workgroup.z > 0 ? 1u : 0u};
    domain.push_back(workgroup_parameter(key::workgroup.id, default_workgroup, tr("Workgroup")));
    domain.push_back(grid_parameter(key::grid.id, automatic, tr("Grid")));
    domain.push_back(seed_parameter());
    std::move(own.begin(), own.end(), std::back_inserter(domain));
    return domain;
}

Extent requested_workgroup(const Values& values) {
    return values.contains(key::workgroup.id) ? values[key::workgroup] : Extent{values[key::workgroup_size]};
}

Extent requested_grid(const Values& values) {
    return values.contains(key::grid.id) ? values[key::grid] : Extent{values[key::workgroup_count]};
}

}  // namespace gridstride

// A model of occupancy: how many workgroups a multiprocessor holds at once, what each resource allows, and
// which resource limits. Unknown resources are left out of the model, and the text names them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launch/limits.h"
#include "launch/plan.h"

namespace gridstride {

enum class OccupancyBound { subgroups, registers, workgroups };

struct Occupancy {
    struct Bound {
        OccupancyBound by;
        std::uint64_t workgroups;
        bool operator==(const Bound&) const = default;
    };
    std::vector<Bound> bounds;  ///< one for each known resource, in the order of the enumeration
    std::uint64_t workgroups = 0;
    std::uint64_t subgroups_per_workgroup = 1;
    std::uint64_t subgroups = 0;  ///< resident, of all resident workgroups
    double fraction = 0;          ///< of the subgroups that the multiprocessor can hold

    bool limits(OccupancyBound by) const;  ///< true if no other bound is lower
};

/// Computes the occupancy from the device's limits and documented figures. Shared memory is left out: Vulkan
/// does not report a multiprocessor's. `registers`: for each invocation; 0: unknown. Returns nullopt if the
/// subgroups of a multiprocessor are unknown.
std::optional<Occupancy> occupancy(std::uint64_t workgroup_size, std::uint32_t registers,
                                   const Limits& limits);

/// Describes the occupancy of a launch in sentences: what fits, what limits, how many waves the grid takes,
/// what the model leaves out. `registers`: for each invocation, as the driver reports them; 0: unknown. If
/// the device does not report enough, the result is one sentence that says so.
std::vector<std::string> describe_occupancy(const Dispatch& launch, std::uint32_t registers,
                                            const Limits& limits);

}  // namespace gridstride

// How many workgroups a multiprocessor holds at once, by a model: what each resource would allow, and which
// of them limits. A pure function of what is known; what is not known bounds nothing and is said.
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
    std::vector<Bound> bounds;  ///< of what is known, in the order of the enumeration
    std::uint64_t workgroups = 0;
    std::uint64_t subgroups_a_workgroup = 1;
    std::uint64_t subgroups = 0;  ///< resident, of all their workgroups
    double fraction = 0;          ///< of the subgroups that the multiprocessor can hold

    bool limits(OccupancyBound by) const;  ///< no other bound is lower
};

/// From what the device says and what is documented of it: Vulkan tells no shared memory of a multiprocessor.
/// nullopt when the subgroups of a multiprocessor are not known. registers of an invocation; 0: not known.
std::optional<Occupancy> occupancy(std::uint64_t workgroup_size, std::uint32_t registers,
                                   const Limits& limits);

/// The model for a launch in sentences: what fits, what limits, how far the grid goes, what is left out.
/// registers of an invocation as the driver told them, 0 if it did not. Where the device does not say enough,
/// one sentence that says so.
std::vector<std::string> occupancy_in_words(const Dispatch& launch, std::uint32_t registers,
                                            const Limits& limits);

}  // namespace gridstride

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

/// What one multiprocessor has; 0: not known.
struct Multiprocessor {
    std::uint32_t subgroup_size = 32;
    std::uint32_t subgroups = 0;   ///< resident at once
    std::uint32_t workgroups = 0;  ///< resident at once
    std::uint32_t registers = 0;   ///< of 32 bits
    std::uint64_t shared_bytes = 0;

    // In what pieces they are given out: NVIDIA's since Volta (CUDA Occupancy Calculator, "GPU Data").
    std::uint32_t register_unit = 256;           ///< registers, to a subgroup
    std::uint32_t subgroup_unit = 4;             ///< registers serve a multiple of so many subgroups
    std::uint64_t shared_unit = 128;             ///< bytes, to a workgroup
    std::uint64_t shared_bytes_reserved = 1024;  ///< of each workgroup, for the system
};
/// What the device says and what is documented of it. Vulkan tells no shared memory of a multiprocessor.
Multiprocessor multiprocessor_of(const Limits& limits);

struct WorkgroupNeeds {
    std::uint64_t invocations = 1;
    std::uint32_t registers = 0;  ///< an invocation; 0: not known
    std::uint64_t shared_bytes = 0;
};

enum class OccupancyBound { subgroups, registers, shared_memory, workgroups };

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

/// nullopt when the subgroups of the multiprocessor are not known.
std::optional<Occupancy> occupancy(const Multiprocessor& multiprocessor, const WorkgroupNeeds& needs);

/// The model for a launch in sentences: what fits, what limits, how far the grid goes, what is left out.
/// registers of an invocation as the driver told them, 0 if it did not. Where the device does not say enough,
/// one sentence that says so.
std::vector<std::string> occupancy_in_words(const Dispatch& launch, std::uint32_t registers,
                                            const Limits& limits);

}  // namespace gridstride

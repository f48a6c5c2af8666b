// The ways to count, and what follows from a way, a workgroup size and a device: the grid, the private bins.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lesson/grid.h"
#include "lesson/lesson.h"

namespace gridstride::lessons::histogram {

enum class Way { race, atomic_global, atomic_shared, subgroup_replicas };

std::vector<Variant> variants();

/// Throws std::out_of_range for a name that no variant has.
Way way_of(std::string_view variant);
/// From "histogram/atomic_shared".
Way way_of_kernel(std::string_view kernel);

/// Whether each workgroup counts in memory of its own and adds its counts to the device's at the end.
bool has_private_bins(Way way);

/// Numbers that one invocation takes in one pass of the grid over the numbers.
std::uint64_t elements_an_invocation(Way way);

/// The bins that a workgroup keeps in its own memory.
struct PrivateBins {
    std::uint64_t held = 0;    ///< bins 0 … held - 1; the rest is counted in global memory
    std::uint64_t copies = 1;  ///< of each: a power of two, not above the subgroup's width
    std::uint64_t words = 1;   ///< u32 of workgroup memory, at least held * copies
};
PrivateBins private_bins(Way way, std::uint64_t bins, std::uint64_t workgroup_size, const Limits& limits);

/// The grid that "auto" stands for.
std::uint64_t natural_workgroup_count(Way way, std::uint64_t elements, std::uint64_t workgroup_size,
                                      const Limits& limits);

/// Loop iterations of one invocation besides one a pass, at most, in each dispatch.
std::uint64_t iterations_a_dispatch(Way way, const PrivateBins& bins, std::uint64_t workgroup_size);

}  // namespace gridstride::lessons::histogram

// Natural sizes for a grid: what "auto" can mean.
#pragma once

#include <algorithm>
#include <cstdint>

#include "launch/extent.h"
#include "launch/limits.h"

namespace gridstride {

/// How many workgroups of this size the device holds at once; a usual number where the driver does not say.
inline std::uint64_t resident_workgroups(std::uint64_t workgroup_size, const Limits& limits) {
    if (limits.multiprocessors == 0 || limits.subgroups_per_multiprocessor == 0)
        return limits.is_cpu ? 64 : 1024;
    const std::uint64_t subgroups = divide_up(workgroup_size, limits.subgroup_size);
    return limits.multiprocessors *
           std::max<std::uint64_t>(limits.subgroups_per_multiprocessor / subgroups, 1);
}

/// For a kernel whose workgroups each cost something when they end, a tree or bins to add up: as few as keep
/// the device busy. With four loads in flight an invocation, half of the invocations that fit do.
inline std::uint64_t fewest_filling_workgroups(std::uint64_t workgroup_size, const Limits& limits) {
    return resident_workgroups(limits.is_cpu ? workgroup_size : 2 * workgroup_size, limits);
}

/// For a kernel that reads and writes a stream: one load for each invocation, as far as the device takes so
/// many workgroups. On an NVIDIA H200 such a grid reached 4250 GB/s (16-byte loads, 2^28 samples of
/// zero-suppression), one of two loads an invocation 4215, of four 4155, and four times the resident
/// workgroups, each with many rounds, 5 % less: many invocations at once do there what many loads of one do
/// elsewhere. tiles: elements over what a workgroup takes in one pass.
inline std::uint64_t streaming_workgroups(std::uint64_t tiles, const Limits& limits) {
    return std::min(tiles, limits.max_workgroup_count);
}

}  // namespace gridstride

// Natural sizes for a grid: what "auto" can mean.
#pragma once

#include <algorithm>
#include <cstdint>

#include "lesson/limits.h"

namespace gridstride {

/// How many workgroups of this size the device holds at once; a usual number where the driver does not say.
inline std::uint64_t resident_workgroups(std::uint64_t workgroup_size, const Limits& limits) {
    if (limits.multiprocessors == 0 || limits.subgroups_per_multiprocessor == 0)
        return limits.is_cpu ? 64 : 1024;
    const std::uint64_t subgroups = (workgroup_size + limits.subgroup_size - 1) / limits.subgroup_size;
    return limits.multiprocessors *
           std::max<std::uint64_t>(limits.subgroups_per_multiprocessor / subgroups, 1);
}

/// For a kernel that reads and writes a stream and has `in_flight` loads of an invocation on their way at
/// once: as many workgroups as make that one round for each. On an NVIDIA H200 such a grid reached a device
/// copy's bandwidth, where four times the resident workgroups, each with many rounds, stayed 5 % below.
/// tiles: elements over what a workgroup takes in one pass.
inline std::uint64_t one_round_workgroups(std::uint64_t tiles, std::uint64_t in_flight,
                                          const Limits& limits) {
    return std::min((tiles + in_flight - 1) / in_flight, limits.max_workgroup_count);
}

}  // namespace gridstride

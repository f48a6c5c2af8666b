// Finds barriers that only some invocations of a workgroup reach.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace gridstride::trace {

/// Divergent control flow around one barrier: some invocations of a workgroup wait there, others do not.
struct Divergence {
    std::uint32_t site = 0;  ///< the barrier at which the invocation with the most barriers waits
    std::optional<std::uint32_t> other_site;  ///< the barrier at which the others wait; nullopt: they ended
    bool other_iteration = false;   ///< the others wait at the same barrier in another loop iteration
    std::uint64_t invocations = 0;  ///< that do not wait at the barrier, over all workgroups
    std::uint32_t first = 0;        ///< index of the record of the first waiting invocation
    /// The record of the first invocation that does not wait: its other barrier, or its last record.
    std::optional<std::uint32_t> other;
    std::uint32_t workgroup = 0, invocation = 0;  ///< the first invocation that does not wait
};

/// Returns one entry for each pair of barriers that diverges. Only workgroup barriers are checked: a subgroup
/// barrier applies to the active lanes alone. Linear in the number of records.
std::vector<Divergence> find_divergences(const Trace& trace, std::span<const Record> records);

}  // namespace gridstride::trace

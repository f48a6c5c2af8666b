// The branches of a trace: each time that a subgroup executed an if, a case of a switch or the condition of a
// loop, and which of its lanes went where.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace gridstride::trace {

inline constexpr std::size_t max_lanes = 128;
using Lanes = std::bitset<max_lanes>;

/// One execution of a branch by a subgroup. With Trace::ballots the lanes are recorded. Otherwise each lane's
/// executions are counted between two barriers of the subgroup, and equal counts form one execution.
struct BranchExecution {
    std::uint32_t site = 0;
    std::uint32_t workgroup = 0;
    std::uint16_t subgroup = 0;
    std::uint32_t execution = 0;  ///< of this site by this subgroup, from 0
    std::uint32_t earlier_records =
        0;         ///< records of accesses and barriers made before it, by all invocations
    Lanes active;  ///< lanes that execute the branch
    Lanes taken;   ///< those of them for which the condition is true

    /// The lanes that count as active, see Site::counts_true; none: the code does not run, or does not count.
    Lanes lanes_if_true(const Site& branch) const { return branch.counts_true ? taken : Lanes(); }
    Lanes lanes_if_false(const Site& branch) const { return branch.counts_false ? active & ~taken : Lanes(); }
};

/// Decodes the branch records, ordered by workgroup and subgroup and then as they were recorded. Throws
/// std::runtime_error if the words are not what an instrumented kernel writes.
std::vector<BranchExecution> decode_branches(const Trace& trace);

/// Returns how often invocations executed each site: records, and for a branch active lanes.
std::vector<std::uint64_t> count_executions(const Trace& trace, std::span<const Record> records);

}  // namespace gridstride::trace

// Finds data races: conflicting accesses to the same bytes that no barrier or atomic orders.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace gridstride::trace {

enum class Ordering {
    none,          ///< a race
    wrong_memory,  ///< a barrier is between them, but does not order this kind of memory
    undecidable,   ///< atomics may have ordered them, which the trace does not show
};

/// The conflicts of one pair of sites. Two accesses conflict if different invocations access the same bytes,
/// at least one writes, and they are not both atomics whose scopes include both invocations.
struct Race {
    std::uint32_t site = 0, other_site = 0;  ///< the lower number first
    Ordering order = Ordering::none;  ///< the worst; the other members describe conflicts of this order alone
    std::uint64_t inside = 0;         ///< conflicting cells within a workgroup, counted per epoch
    std::uint64_t between = 0;        ///< conflicting cells that two workgroups of a dispatch access
    std::size_t first = 0, other = 0;  ///< one conflicting pair of records, of one workgroup if there is one
    bool is_between_workgroups = false;  ///< the pair belongs to two workgroups
    bool same_value = false;             ///< all are writes, and write the same value to a cell
};

struct Races {
    std::vector<Race> pairs;              ///< ordered by their sites
    std::vector<std::uint32_t> partners;  ///< for each record one that it races with, or no_record
    bool exceeds_limit = false;  ///< there are too many touched bytes to analyze (see split_accesses())
};

/// Finds the races of a trace, in time linear in the accesses for a given kernel. Each cell stores, for each
/// site, its first access and the first by a different actor, which is enough to detect two different actors
/// (after Oclgrind: J. Price and S. McIntosh-Smith, "Oclgrind: An Extensible OpenCL Device Simulator", IWOCL
/// 2015). The search runs for three kinds of actor: subgroups of a workgroup, invocations of a subgroup, and
/// workgroups.
Races find_races(const Trace& trace, std::span<const Record> records);

/// Returns for each record the index of one that it races with, in its workgroup or in another, or no_record.
std::vector<std::uint32_t> race_partners(const Trace& trace, std::span<const Record> records);

}  // namespace gridstride::trace

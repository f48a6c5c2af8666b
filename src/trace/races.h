// Accesses to the same bytes that nothing puts in order.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace gridstride::trace {

enum class Order {
    none,         ///< a race
    unseen,       ///< a barrier stands between them, but does not order this kind of memory
    undecidable,  ///< atomics may have published one of them to the other's invocation
};

/// Conflicts of one pair of sites: accesses to the same bytes by two invocations, one of which writes, and
/// not both atomic in scopes that both invocations are in.
struct Race {
    std::uint32_t site = 0, other_site = 0;  ///< the lower number first
    Order order = Order::none;               ///< of the worst, and the rest is about those alone
    std::uint64_t inside = 0;                ///< places, between two barriers of a workgroup
    std::uint64_t between = 0;               ///< places that two workgroups of a dispatch come to
    std::size_t first = 0, other = 0;        ///< records at the two sites that do this, inside before between
    bool of_workgroups = false;              ///< those are of two workgroups
    bool same_value = false;                 ///< all write, and write what the others of their place write
};

struct Races {
    std::vector<Race> pairs;              ///< by their sites
    std::vector<std::uint32_t> partners;  ///< of each record one that it races with, or no_record
    bool too_many = false;                ///< accesses overlap in too many bytes for it to be found out
};

/// Linear in the accesses for a given kernel: a cell keeps, for each site, its first access and the first by
/// somebody else, which is enough to know whether there are two of different ones (after Oclgrind: J. Price
/// and S. McIntosh-Smith, "Oclgrind: An Extensible OpenCL Device Simulator", IWOCL 2015). The same is done
/// three times: between subgroups of a workgroup, between invocations of a subgroup, between workgroups.
Races races_of(const Trace& trace, std::span<const Record> records);

/// Of each record the place of one that it races with, inside its workgroup or between workgroups; else
/// no_record.
std::vector<std::uint32_t> race_partners(const Trace& trace, std::span<const Record> records);

}  // namespace gridstride::trace

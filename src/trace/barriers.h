// Whether the invocations of a workgroup meet at the same barriers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace gridstride::trace {

/// Invocations that are elsewhere while others of their workgroup wait at a barrier.
struct Divergence {
    std::uint32_t site = 0;                   ///< the barrier, where the one that passes most of them waits
    std::optional<std::uint32_t> other_site;  ///< a barrier where the others are; nullopt: they ended
    bool other_turn = false;                  ///< it is the same, in another turn of a loop
    std::uint64_t invocations = 0;
    std::uint32_t first = 0;             ///< record of the first that waits
    std::optional<std::uint32_t> other;  ///< of the first that is elsewhere: its other barrier, or its last
    std::uint32_t workgroup = 0, invocation = 0;  ///< of that one
};

/// Barriers of the workgroup; those of a subgroup are for the lanes that come there. Linear in the records.
std::vector<Divergence> divergences_of(const Trace& trace, std::span<const Record> records);

}  // namespace gridstride::trace

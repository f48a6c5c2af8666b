// Finds uninitialized reads: of memory that no invocation wrote before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace gridstride::trace {

/// The reads of a site whose bytes were not written before.
struct UninitializedReads {
    std::uint32_t site = 0;
    std::uint64_t reads = 0;  ///< records
    std::size_t first = 0;    ///< record
};

/// Returns such reads by site: of workgroup memory, and of buffers that are TracedBuffer::starts_unwritten if
/// the whole launch was traced. A store counts for reads after a barrier, for later reads of the same
/// invocation, and, as it may come first, for reads of others before the next barrier: those are races. An
/// atomic reads, and counts as a store only for other accesses. nullopt: too many bytes are accessed.
std::optional<std::vector<UninitializedReads>> find_uninitialized_reads(const Trace& trace,
                                                                        std::span<const Record> records);

}  // namespace gridstride::trace

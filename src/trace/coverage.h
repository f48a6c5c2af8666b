// Counts how often each element of a buffer was accessed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace gridstride::trace {

struct AccessCounts {
    std::uint64_t elements = 0;
    std::uint64_t more_than_once = 0;  ///< how many of those were touched more than once
};

/// Describes a buffer that the kernel accesses or must write.
struct Coverage {
    std::uint32_t binding = 0;
    std::uint64_t elements = 0;
    AccessCounts read, written, changed;  ///< by loads, stores, atomics
    std::uint64_t untouched = 0;          ///< elements that no access touched
    std::uint64_t never_written = 0;      ///< elements that no store or atomic touched
    std::uint64_t out_of_bounds = 0;      ///< accesses out of bounds
    /// Two records that touch the same element with the same kind of access, for the first such element. If
    /// there is none, `first` is a record of the first touched element, and `other` is empty.
    std::optional<std::uint32_t> first, other;

    /// Returns true if each element was accessed exactly once, and all accesses were loads or all were
    /// stores. nullopt: the missing records could change the answer.
    std::optional<bool> is_each_once(bool records_are_missing) const;
};

/// Returns the coverage of each buffer, ordered by binding. nullopt: the accesses touch too many bytes (see
/// split_accesses()).
std::optional<std::vector<Coverage>> compute_coverage(const Trace& trace, std::span<const Record> records);

}  // namespace gridstride::trace

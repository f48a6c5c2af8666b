// Who came to which element of each buffer, and how often.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace gridstride::trace {

/// How many elements were touched by accesses of one kind.
struct Touched {
    std::uint64_t elements = 0;
    std::uint64_t more_than_once = 0;  ///< of those
};

/// Of a buffer that the kernel accesses somewhere, or is to write.
struct Coverage {
    std::uint32_t binding = 0;
    std::uint64_t elements = 0;
    Touched read, written, changed;  ///< by loads, stores, atomics
    std::uint64_t never = 0;         ///< elements that nobody touched
    std::uint64_t unwritten = 0;     ///< elements that nobody wrote or changed
    std::uint64_t outside = 0;       ///< accesses
    /// Two records that touch the first element that is touched twice by one kind of access; of one that is
    /// touched once, the first of all alone.
    std::optional<std::uint32_t> first, other;

    /// Each element once, by loads or by stores, and by nothing else. nullopt: records are missing that may
    /// tell.
    std::optional<bool> each_once(bool records_are_missing) const;
};

/// By binding. nullopt: accesses overlap in too many bytes for it to be found out.
std::optional<std::vector<Coverage>> coverage_of(const Trace& trace, std::span<const Record> records);

}  // namespace gridstride::trace

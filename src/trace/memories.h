// The memory that the recorded accesses are about: which variable or buffer, how large, and which accesses
// touch the same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace gridstride::trace {

/// A variable in workgroup memory, or what is bound at a binding.
struct Memory {
    Space space = Space::workgroup;
    std::uint64_t bytes = UINT64_MAX;  ///< of a buffer as many as are bound; largest: nobody knows
    /// The largest power of two up to 16 that divides the place and the size of every access.
    std::uint64_t unit = 16;
};

struct Memories {
    std::vector<Memory> all;
    std::vector<std::uint32_t> of_site;  ///< in `all`; of a barrier one behind its end

    const Memory& of(const Record& record) const { return all[of_site[record.site]]; }
};
Memories memories_of(const Trace& trace, std::span<const Record> records);

/// Whether an access left its array, its variable or its buffer. What did so is clamped while it is recorded:
/// nobody knows which bytes it would have touched.
bool outside(const Site& site, const Memory& memory, const Record& record);

/// An access to `unit` bytes at cell * unit.
struct Touch {
    std::uint64_t cell = 0;
    std::uint32_t record = 0;
};

/// A touch for each unit of each access that is not outside, in the order of the records. unit(record): bytes
/// of a cell of its memory; 0 leaves the record out. nullopt: there are too many (whole arrays are copied by
/// many invocations).
template <class Unit>
std::optional<std::vector<Touch>> touches_of(const Trace& trace, std::span<const Record> records,
                                             const Memories& memories, Unit unit) {
    constexpr std::uint64_t most = std::uint64_t{1} << 25;
    std::vector<Touch> touches;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const Record& record = records[i];
        const Site& site = trace.sites[record.site];
        if (site.kind == SiteKind::barrier || site.bytes == 0) continue;
        const std::uint64_t bytes = unit(record);
        if (bytes == 0 || outside(site, memories.of(record), record)) continue;
        const std::uint64_t first = record.offset / bytes, last = (record.offset + site.bytes - 1) / bytes;
        if (last - first >= most - touches.size()) return std::nullopt;
        for (std::uint64_t cell = first; cell <= last; ++cell)
            touches.push_back({cell, static_cast<std::uint32_t>(i)});
    }
    return touches;
}

}  // namespace gridstride::trace

// Finds the variable or buffer that each traced access belongs to, its size, and the accesses that touch
// the same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/trace.h"

namespace gridstride::trace {

/// A variable in workgroup memory, or the buffer at a binding.
struct MemoryObject {
    MemorySpace space = MemorySpace::workgroup;
    std::uint64_t bytes = UINT64_MAX;  ///< of a buffer, the bytes bound; UINT64_MAX: unknown
    /// The largest power of two up to 16 that divides the offset and size of every access.
    std::uint64_t unit = 16;
};

struct MemoryMap {
    std::vector<MemoryObject> all;
    std::vector<std::uint32_t> index_of_site;  ///< index into `all`; UINT32_MAX: not an access

    const MemoryObject& of(const Record& record) const { return all[index_of_site[record.site]]; }
};
/// Returns the arrays and variables that the sites access, and the unit in which all accesses are aligned.
MemoryMap map_memory(const Trace& trace, std::span<const Record> records);

/// Returns true if an access was out of bounds of its array, variable or buffer. The instrumented kernel
/// clamps such an access, so the bytes that it would have touched are unknown.
bool is_out_of_bounds(const Site& site, const MemoryObject& memory, const Record& record);

/// An access to the `unit` bytes that start at cell * unit.
struct UnitAccess {
    std::uint64_t cell = 0;
    std::uint32_t record = 0;
};

/// The maximum number of results of split_accesses(), which bounds the memory of an analysis.
inline constexpr std::uint64_t max_accesses = std::uint64_t{1} << 25;
/// Splits each access that is in bounds into cells, in the order of the records. unit(record) returns the
/// bytes of a cell of its memory; 0 skips the record. nullopt: there are more than max_accesses results, as
/// when many invocations copy whole arrays.
template <class Unit>
std::optional<std::vector<UnitAccess>> split_accesses(const Trace& trace, std::span<const Record> records,
                                                      const MemoryMap& memories, Unit unit) {
    std::vector<UnitAccess> accesses;
    for (std::size_t i = 0; i < records.size(); ++i) {
        const Record& record = records[i];
        const Site& site = trace.sites[record.site];
        if (!is_access(site) || site.bytes == 0) continue;
        const std::uint64_t bytes = unit(record);
        if (bytes == 0 || is_out_of_bounds(site, memories.of(record), record)) continue;
        const std::uint64_t first = record.offset / bytes, last = (record.offset + site.bytes - 1) / bytes;
        if (last - first >= max_accesses - accesses.size()) return std::nullopt;
        for (std::uint64_t cell = first; cell <= last; ++cell)
            accesses.push_back({cell, static_cast<std::uint32_t>(i)});
    }
    return accesses;
}

}  // namespace gridstride::trace

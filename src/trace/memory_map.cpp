#include "trace/memory_map.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <utility>

namespace gridstride::trace {

MemoryMap map_memory(const Trace& trace, std::span<const Record> records) {
    MemoryMap memories;
    std::map<std::pair<MemorySpace, std::string>, std::uint32_t> existing;
    for (const Site& site : trace.sites) {
        if (!is_access(site)) {
            memories.index_of_site.push_back(UINT32_MAX);
            continue;
        }
        // An array in a struct in workgroup memory is named "s.items"; it shares the bytes of s.
        const bool bound = site.space == MemorySpace::buffer;
        std::string variable =
            bound ? std::to_string(site.binding) : site.variable.substr(0, site.variable.find('.'));
        const auto [entry, is_new] = existing.try_emplace({site.space, std::move(variable)},
                                                          static_cast<std::uint32_t>(memories.all.size()));
        if (is_new) memories.all.push_back({site.space});
        memories.index_of_site.push_back(entry->second);
        MemoryObject& memory = memories.all[entry->second];
        if (bound && site.binding < trace.buffers.size()) {
            const TracedBuffer& buffer = trace.buffers[site.binding];
            memory.bytes = (buffer.elements * byte_size(buffer.type) + 15) / 16 * 16;
        } else if (!bound && site.variable_bytes > 0) {
            memory.bytes = site.variable_bytes;
        }
    }
    for (const Record& record : records) {
        const Site& site = trace.sites[record.site];
        if (!is_access(site)) continue;
        MemoryObject& memory = memories.all[memories.index_of_site[record.site]];
        if (is_out_of_bounds(site, memory, record)) continue;
        const std::uint64_t alignment_bits = memory.unit | record.offset | site.bytes;
        memory.unit = std::uint64_t{1} << std::countr_zero(alignment_bits);
    }
    return memories;
}

bool is_out_of_bounds(const Site& site, const MemoryObject& memory, const Record& record) {
    return record.out_of_bounds_mask != 0 || site.bytes > memory.bytes ||
           record.offset > memory.bytes - site.bytes;
}

}  // namespace gridstride::trace

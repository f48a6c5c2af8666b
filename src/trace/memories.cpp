#include "trace/memories.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <utility>

namespace gridstride::trace {

Memories memories_of(const Trace& trace, std::span<const Record> records) {
    Memories memories;
    std::map<std::pair<Space, std::string>, std::uint32_t> known;
    for (const Site& site : trace.sites) {
        if (site.kind == SiteKind::barrier) {
            memories.of_site.push_back(UINT32_MAX);
            continue;
        }
        // An array in a struct in workgroup memory is named "s.items"; it shares the bytes of s.
        const bool bound = site.space == Space::buffer;
        std::string variable =
            bound ? std::to_string(site.binding) : site.variable.substr(0, site.variable.find('.'));
        const auto [place, fresh] = known.try_emplace({site.space, std::move(variable)},
                                                      static_cast<std::uint32_t>(memories.all.size()));
        if (fresh) memories.all.push_back({site.space});
        memories.of_site.push_back(place->second);
        Memory& memory = memories.all[place->second];
        if (bound && site.binding < trace.buffers.size()) {
            const TracedBuffer& buffer = trace.buffers[site.binding];
            memory.bytes = (buffer.elements * byte_size(buffer.type) + 15) / 16 * 16;
        } else if (!bound && site.variable_bytes > 0) {
            memory.bytes = site.variable_bytes;
        }
    }
    for (const Record& record : records) {
        const Site& site = trace.sites[record.site];
        if (site.kind == SiteKind::barrier) continue;
        Memory& memory = memories.all[memories.of_site[record.site]];
        if (outside(site, memory, record)) continue;
        const std::uint64_t together = memory.unit | record.offset | site.bytes;
        memory.unit = std::uint64_t{1} << std::countr_zero(together);
    }
    return memories;
}

bool outside(const Site& site, const Memory& memory, const Record& record) {
    return record.outside != 0 || site.bytes > memory.bytes || record.offset > memory.bytes - site.bytes;
}

}  // namespace gridstride::trace

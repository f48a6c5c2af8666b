#include "lesson/load_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/units.h"

namespace gridstride {

namespace {

constexpr std::uint64_t element_bytes = 4;

Array counts_of(const trace::Trace& trace, std::span<const trace::Record> records,
                const trace::TracedBuffer& buffer) {
    Array times(ElementType::u32, buffer.elements);
    const auto counted = times.as<std::uint32_t>();
    std::ranges::fill(counted, 0U);
    for (const trace::Record& record : records) {
        const trace::Site& site = trace.sites[record.site];
        const bool is_meant = site.kind == trace::SiteKind::load && site.space == trace::Space::buffer &&
                              record.outside == 0 && &trace.buffers[site.binding] == &buffer;
        if (!is_meant) continue;
        const std::uint64_t end = std::min((record.offset + site.bytes) / element_bytes, buffer.elements);
        for (std::uint64_t element = record.offset / element_bytes; element < end; ++element)
            ++counted[element];
    }
    return times;
}

}  // namespace

RecordedCells load_counts_of(const trace::Trace& trace, std::span<const trace::Record> records,
                             std::span<const CountedBuffer> buffers) {
    RecordedCells made{.cells = {.shades = Cells::Shades::viridis}};
    for (const CountedBuffer& wanted : buffers) {
        const auto buffer = std::ranges::find(trace.buffers, wanted.name, &trace::TracedBuffer::name);
        if (buffer == trace.buffers.end() || buffer->elements == 0) continue;
        Array times = counts_of(trace, records, *buffer);
        const std::uint32_t most = *std::ranges::max_element(times.as<std::uint32_t>());
        made.cells.numbers.push_back({fmt::format("{}: up to {}", wanted.name, counted(most, "time")),
                                      wanted.columns, share(std::move(times)), 0,
                                      static_cast<double>(std::max(most, 1U))});
    }
    made.note = "A cell is a number in memory: the brighter, the more often it was fetched.";
    if (const std::string which = which_workgroups(trace); !which.empty()) made.note += " " + which;
    return made;
}

}  // namespace gridstride

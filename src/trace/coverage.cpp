#include "trace/coverage.h"

#include <algorithm>
#include <array>

#include "trace/memory_map.h"
#include "trace/sort.h"

namespace gridstride::trace {

std::optional<bool> Coverage::is_each_once(bool records_are_missing) const {
    // Missing records cannot undo a second access, so this answer is certain.
    if (read.more_than_once > 0 || written.more_than_once > 0 || changed.elements > 0 || out_of_bounds > 0 ||
        (read.elements > 0 && written.elements > 0))
        return false;
    if (records_are_missing) return std::nullopt;
    return untouched == 0;
}

std::optional<std::vector<Coverage>> compute_coverage(const Trace& trace, std::span<const Record> records) {
    std::vector<Coverage> all;
    for (std::uint32_t binding = 0; binding < trace.buffers.size(); ++binding) {
        const bool accessed = std::any_of(trace.sites.begin(), trace.sites.end(), [&](const Site& site) {
            return is_access(site) && site.space == MemorySpace::buffer && site.binding == binding;
        });
        if (!accessed && trace.buffers[binding].must_write == MustWrite::nothing) continue;
        Coverage& coverage = all.emplace_back();
        coverage.binding = binding;
        coverage.elements = coverage.untouched = coverage.never_written = trace.buffers[binding].elements;
    }
    const auto coverage_at = [&](std::uint32_t binding) -> Coverage& {
        return *std::find_if(all.begin(), all.end(), [&](const Coverage& c) { return c.binding == binding; });
    };

    const MemoryMap memories = map_memory(trace, records);
    const auto site_of = [&](std::uint32_t record) -> const Site& {
        return trace.sites[records[record].site];
    };
    for (const Record& record : records) {
        const Site& site = trace.sites[record.site];
        if (is_access(site) && site.space == MemorySpace::buffer &&
            is_out_of_bounds(site, memories.of(record), record))
            ++coverage_at(site.binding).out_of_bounds;
    }
    const auto accesses =
        split_accesses(trace, records, memories, [&](const Record& record) -> std::uint64_t {
            const Site& site = trace.sites[record.site];
            return site.space == MemorySpace::buffer ? byte_size(trace.buffers[site.binding].type) : 0;
        });
    if (!accesses) return std::nullopt;

    std::vector<std::uint32_t> order = make_indices(accesses->size());
    const auto touch = [&](std::size_t place) { return (*accesses)[order[place]]; };
    sort_by(order, [&](std::uint32_t t) { return (*accesses)[t].cell; });
    sort_by(order, [&](std::uint32_t t) { return site_of((*accesses)[t].record).binding; });
    const auto same_element = [&](std::size_t a, std::size_t b) {
        return touch(a).cell == touch(b).cell &&
               site_of(touch(a).record).binding == site_of(touch(b).record).binding;
    };
    for_each_run(0, order.size(), same_element, [&](std::size_t begin, std::size_t end) {
        Coverage& coverage = coverage_at(site_of(touch(begin).record).binding);
        if (touch(begin).cell >= coverage.elements) return;  // padding of the binding up to 16 bytes
        if (!coverage.first) coverage.first = touch(begin).record;
        --coverage.untouched;
        std::array<std::uint64_t, 3> times{};
        std::array<std::uint32_t, 3> first{};
        for (std::size_t place = begin; place < end; ++place) {
            const auto kind = static_cast<std::size_t>(site_of(touch(place).record).kind);
            if (times.at(kind)++ == 0) {
                first.at(kind) = touch(place).record;
            } else if (!coverage.other) {
                coverage.first = first.at(kind);
                coverage.other = touch(place).record;
            }
        }
        if (times.at(1) + times.at(2) > 0) --coverage.never_written;
        const std::array<AccessCounts*, 3> kinds = {&coverage.read, &coverage.written, &coverage.changed};
        for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
            if (times.at(kind) > 0) ++kinds.at(kind)->elements;
            if (times.at(kind) > 1) ++kinds.at(kind)->more_than_once;
        }
    });
    return all;
}

}  // namespace gridstride::trace

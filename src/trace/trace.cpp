#include "trace/trace.h"

#include <algorithm>
#include <map>
#include <utility>

namespace gridstride::trace {

std::string_view name(SiteKind kind) {
    static constexpr std::array<std::string_view, 5> names = {"load", "store", "atomic", "barrier", "branch"};
    return names.at(static_cast<std::size_t>(kind));
}

std::string_view name(MemorySpace space) {
    static constexpr std::array<std::string_view, 2> names = {"workgroup", "buffer"};
    return names.at(static_cast<std::size_t>(space));
}

std::uint32_t value_words(const Site& site) {
    const bool wide =
        site.value == ValueType::i64 || site.value == ValueType::u64 || site.value == ValueType::f64;
    if (site.value == ValueType::none) return 0;
    return std::min<std::uint32_t>(std::min<std::uint32_t>(site.components, 4) * (wide ? 2 : 1), 4);
}

std::uint64_t max_resident_workgroups(const Trace& trace) {
    std::map<std::uint32_t, std::vector<std::pair<std::uint64_t, int>>> events;  // by multiprocessor
    for (const WorkgroupPlacement& one : trace.placements) {
        events[one.multiprocessor].emplace_back(one.start_time, 1);
        events[one.multiprocessor].emplace_back(one.end_time, -1);
    }
    std::int64_t max_resident = 0;
    for (auto& [multiprocessor, all] : events) {
        std::ranges::sort(all);  // at equal times an end comes before a start
        std::int64_t resident = 0;
        for (const auto& [time, change] : all)
            max_resident = std::max(max_resident, resident += change);
    }
    return static_cast<std::uint64_t>(max_resident);
}

}  // namespace gridstride::trace

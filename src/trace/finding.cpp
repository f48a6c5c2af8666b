#include "trace/finding.h"

#include <algorithm>
#include <array>

namespace gridstride::trace {

std::string_view name(FindingKind kind) {
    static constexpr std::array<std::string_view, 9> names = {"race",     "outside",  "divergent_barrier",
                                                              "coverage", "activity", "sectors",
                                                              "banks",    "atomics",  "unwritten"};
    return names.at(static_cast<std::size_t>(kind));
}

std::string_view name(FindingStatus status) {
    static constexpr std::array<std::string_view, 4> names = {"ok", "warning", "problem", "unknown"};
    return names.at(static_cast<std::size_t>(status));
}

bool have_valid_references(std::span<const Finding> findings, std::size_t sites, std::size_t records) {
    const auto is_there = [](const auto& place, std::size_t end) { return !place || *place < end; };
    return std::ranges::all_of(findings, [&](const Finding& finding) {
        return is_there(finding.site, sites) && is_there(finding.other_site, sites) &&
               is_there(finding.first, records) && is_there(finding.other, records);
    });
}

}  // namespace gridstride::trace

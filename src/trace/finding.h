// A finding: one result of the analysis of a trace, with the sentence that reports it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride::trace {

enum class FindingKind {
    race,
    out_of_bounds,
    divergent_barrier,
    coverage,
    activity,
    sectors,
    banks,
    atomics,
    unwritten
};
constexpr FindingKind last_enumerator(FindingKind) {
    return FindingKind::unwritten;
}
std::string_view name(FindingKind kind);  ///< "divergent_barrier"

enum class FindingStatus { ok, warning, problem, unknown };
constexpr FindingStatus last_enumerator(FindingStatus) {
    return FindingStatus::unknown;
}
std::string_view name(FindingStatus status);  ///< "ok"

struct Finding {
    FindingKind kind = FindingKind::race;
    FindingStatus status = FindingStatus::ok;
    std::optional<std::uint32_t> site,
        other_site;  ///< a race has both; sectors, banks, activity, atomics and unwritten have `site`
    std::uint64_t count = 0;
    /// sectors, banks: mean sectors or turns per request; activity: mean active lanes; atomics: the longest
    /// queue; coverage: 1 if each element was accessed once, else 0 (Coverage::is_each_once()).
    std::optional<double> value;
    std::optional<double> min_value;  ///< sectors and banks: the smallest possible mean for these requests
    std::optional<std::uint64_t> first, other;  ///< records of the first case: indices into decode_records()
    std::string sentence;
};

/// Returns true if all sites and records that the findings refer to exist. Findings from a file may refer to
/// others.
bool have_valid_references(std::span<const Finding> findings, std::size_t sites, std::size_t records);

}  // namespace gridstride::trace

// One of the things that a recording shows, and its words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride::trace {

enum class FindingKind { race, outside, divergent_barrier, coverage, activity, sectors, banks, atomics };
constexpr FindingKind last_of(FindingKind) {
    return FindingKind::atomics;
}
std::string_view name(FindingKind kind);  ///< "divergent_barrier"

enum class Verdict { ok, warning, problem, unknown };
constexpr Verdict last_of(Verdict) {
    return Verdict::unknown;
}
std::string_view name(Verdict verdict);  ///< "ok"

struct Finding {
    FindingKind kind = FindingKind::race;
    Verdict status = Verdict::ok;
    std::optional<std::uint32_t> site,
        other_site;  ///< of a race both; of sectors, banks, activity, atomics theirs
    std::uint64_t count = 0;
    std::optional<double> value;  ///< mean sectors a request, turns a request, active lanes; longest queue;
                                  ///< of coverage 1 or 0: Coverage::each_once()
    std::optional<double>
        min_value;  ///< of sectors and banks: the smallest mean that could serve the requests
    std::optional<std::uint64_t> first, other;  ///< records of the first case, by their place in records_of()
    std::string sentence;
};

/// Whether the sites and records that they name are there: what comes out of a file may name others.
bool are_there(std::span<const Finding> findings, std::size_t sites, std::size_t records);

}  // namespace gridstride::trace

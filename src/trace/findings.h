// What a recording shows: races, accesses outside, divergent barriers, who touched what, and how well the
// hardware's requests were used. All of it in time linear in the records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

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

/// In the order in which a person wants to know them: problems first.
std::vector<Finding> findings_of(const Trace& trace, std::span<const Record> records);

/// Whether the sites and records that they name are there: what comes out of a file may name others.
bool are_there(std::span<const Finding> findings, std::size_t sites, std::size_t records);

/// Where no record is meant.
inline constexpr std::uint32_t no_record = UINT32_MAX;
/// Of each record the place of one that it races with, inside its workgroup or between workgroups; else
/// no_record.
std::vector<std::uint32_t> race_partners(const Trace& trace, std::span<const Record> records);

}  // namespace gridstride::trace

// The numbers that a recording says: a story's questions and an exercise's requirements name them as they
// name those that are measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/report.h"
#include "trace/words.h"

namespace gridstride {

/// Of one launch, over the workgroups that were recorded:
///
///     each_once            1: its buffers' elements were all read once or all written once; else 0
///     out_of_bounds        accesses outside their array
///     races                places in memory, counted for each pair of lines, where two invocations race
///     active_share         active lanes over the subgroup's width, of requests with any
///     sectors_per_request  mean, of 32 bytes, of accesses to storage buffers (modelled)
///     sectors_over_needed  sectors fetched over the fewest that hold the bytes asked for
///     bank_turns           mean turns of a request to workgroup memory (modelled)
///     barriers             that an invocation passes, at most, without those of a subgroup
///     atomics              atomic accesses
///     storage_atomics      of these, those of storage buffers
///     loaded_per_stored    bytes loaded from storage buffers over bytes stored into them
///
/// Where records are missing, the first three and the atomics are known only as far as what is there says it.
inline constexpr std::string_view common_recorded_metrics[] = {
    "each_once",  "out_of_bounds", "races",   "active_share",    "sectors_per_request", "sectors_over_needed",
    "bank_turns", "barriers",      "atomics", "storage_atomics", "loaded_per_stored"};

/// How many lines such a metric can be of: "sectors_per_request(34)" of line 34 of the kernel, "races(30)" of
/// that line with any, "races(30, 34)" of these two, "atomics(scan.glsl:12)" of one that the kernel includes.
/// 0: none; also of other metrics.
std::size_t max_lines_of(std::string_view metric);

/// "sectors_per_request(34)", the lower line first; without lines the metric alone.
std::string of_lines(std::string_view metric, std::vector<trace::SourceLine> lines);

/// Those lines again.
std::vector<trace::SourceLine> lines_in(std::string_view name);

/// The lines, in order, at which a recording counted any of what this metric counts. None of a mean, and of
/// each_once.
std::vector<trace::SourceLine> lines_counted(const Report& report, std::string_view metric);

/// One of common_recorded_metrics, with its lines or without.
bool is_recorded_metric(std::string_view name);

/// All of them, also of each line that has one and of the pairs of lines that race. Of a trace that was made,
/// its records_of() and findings_of() those.
std::vector<RecordedMetric> recorded_metrics(const trace::Trace& trace,
                                             std::span<const trace::Record> records,
                                             std::span<const trace::Finding> findings);

/// Those of a run that was not recorded, for this reason.
std::vector<RecordedMetric> without_values(const std::string& reason);

/// By its name. nullopt: the report has no recording, or that line nothing of the kind.
std::optional<RecordedMetric> find_recorded(const Report& report, std::string_view name);

}  // namespace gridstride

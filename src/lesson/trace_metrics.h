// Metrics computed from a trace. Questions of stories and requirements of exercises name them like measured
// metrics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/report.h"
#include "trace/trace_text.h"

namespace gridstride {

/// The metrics of one launch, over the traced workgroups:
///
///     each_once            1 if, for each buffer, every element was read once or every one was written once
///     out_of_bounds        accesses outside their array
///     races                memory locations, counted per pair of lines, at which two invocations race
///     unwritten            uninitialized reads: of memory that no invocation wrote before
///     active_share         active lanes over the subgroup's width, for requests with an active lane and,
///     except
///                          of a line with accesses, each way that lanes take at a branch
///     sectors_per_request  mean number of 32-byte sectors per access to a storage buffer (modelled)
///     sectors_over_needed  sectors fetched over the smallest number that holds the requested bytes
///     bank_turns           mean number of turns of a request to workgroup memory (modelled)
///     barriers             largest number of barriers that an invocation passes, without subgroup barriers
///     atomics              atomic accesses
///     accessed_bytes       bytes that the accesses to storage buffers read and write; an atomic counts once
///     storage_atomics      atomic accesses to storage buffers
///     resident_workgroups  largest number of workgroups that a multiprocessor held at once
///     loaded_per_stored    bytes loaded from storage buffers over bytes stored into them
///
/// If records are missing, the first four, the atomics and the bytes are lower bounds or unknown.
inline constexpr std::string_view trace_metric_names[] = {
    "each_once",           "out_of_bounds", "races",    "unwritten", "active_share",    "sectors_per_request",
    "sectors_over_needed", "bank_turns",    "barriers", "atomics",   "storage_atomics", "loaded_per_stored",
    "resident_workgroups", "accessed_bytes"};

/// Returns how many lines a metric can be limited to: "sectors_per_request(34)" is about line 34 of the
/// kernel, "races(30)" about that line with any other, "races(30, 34)" about these two,
/// "atomics(scan.glsl:12)" about a line of an included file. Returns 0 for metrics that cannot be limited,
/// and for other names.
std::size_t max_line_count(std::string_view metric);

/// Returns the name of a metric with its lines, sorted, such as "sectors_per_request(34)". Without lines it
/// is the metric's name.
std::string metric_name_with_lines(std::string_view metric, std::vector<trace::SourceLine> lines);

/// Parses the lines of such a name.
std::vector<trace::SourceLine> parse_metric_lines(std::string_view name);

/// Returns the lines, sorted, at which the trace has a count above 0 for this metric. Empty for means and
/// each_once.
std::vector<trace::SourceLine> find_counted_lines(const Report& report, std::string_view metric);

/// Returns true for the names in trace_metric_names, with or without lines.
bool is_trace_metric(std::string_view name);

/// Computes all metrics, also for each line with accesses and for each pair of lines that race. `records` and
/// `findings` are those that decode_records() and compute_findings() return for the trace.
std::vector<TraceMetric> compute_trace_metrics(const trace::Trace& trace,
                                               std::span<const trace::Record> records,
                                               std::span<const trace::Finding> findings);

/// Returns all metrics without values, for a run that has no trace. `reason` becomes their sentence.
std::vector<TraceMetric> make_empty_trace_metrics(const std::string& reason);

/// Finds a metric by its name. Returns nullopt if the report has no trace, or the line no such accesses.
std::optional<TraceMetric> find_trace_metric(const Report& report, std::string_view name);

}  // namespace gridstride

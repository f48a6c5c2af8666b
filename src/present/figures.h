// The plots that every lesson has. Data only: src/ui/plot draws them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "explain/run_limits.h"
#include "lesson/lesson.h"
#include "lesson/plot.h"
#include "story/story.h"

namespace gridstride {

/// A finished run in the table of runs.
struct HistoryEntry {
    std::uint64_t number = 0;  ///< from 1, in this session
    Report report;             ///< without its arrays
    double kernel_ns = 0;      ///< the median, computed once; 0 if nothing was measured
};

/// Plots the medians of a run's parts: upload, kernel, download, CPU steps, and submit and wait, which add up
/// to the wall-clock time. The CPU baselines are drawn below them.
Plot time_breakdown_plot(const Report& report);

Plot kernel_samples_plot(const Report& report);

/// Plots the latest kernel time of every variant that ran with these values and this input, with the 95 %
/// interval of its median. Returns nullopt if no variant has run.
std::optional<Plot> time_per_variant_plot(const PreparedExperiment& prepared,
                                          std::span<const HistoryEntry* const> runs);

/// Plots the kernel's median of each run of this lesson.
std::optional<Plot> time_history_plot(const Lesson& lesson, std::span<const HistoryEntry* const> runs);

/// Plots the latest measured run of each variant under the device's ceilings (S. Williams, A. Waterman,
/// D. Patterson, "Roofline", Communications of the ACM 52(4), 2009). Returns nullopt without a run that
/// declares its operations, or before the ceilings are measured.
std::optional<Plot> roofline_plot(const Lesson& lesson, std::span<const HistoryEntry* const> runs);

/// Plots a run under the ceilings of memory, cache and arithmetic, at two arithmetic intensities: that of the
/// bytes that invocations access, and that of the bytes that the task must move. Returns nullopt if the
/// lesson declares no operations.
std::optional<Plot> limits_plot(const Report& report, const RunLimits& limits);

/// Plots the modelled occupancy of a multiprocessor: a row per resource, a cell per resident subgroup.
/// `registers` are per invocation, 0 if unknown. Returns nullopt if the device does not report enough.
std::optional<Plot> occupancy_plot(const PreparedExperiment& prepared, std::uint32_t registers);

/// Names each run by what differs between them: "tree_sequential", "workgroup size 256". Runs with equal
/// settings are called "run 1", "run 2".
std::vector<std::string> run_names(std::span<const Report* const> runs);

/// Plots the metric of a question side by side for several runs, or for the question's items, with the
/// intervals that decide it. Returns nullopt for a single number, or if a run lacks the metric.
std::optional<Plot> comparison_plot(const PredictBlock& question, std::span<const Report* const> runs);

}  // namespace gridstride

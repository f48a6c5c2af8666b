// The pictures that every lesson has: where the time goes, how the samples fell, how the variants compare,
// what the device could do. Data only: src/ui/plot draws them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lesson/lesson.h"
#include "lesson/plot.h"
#include "story/story.h"

namespace gridstride {

/// A run that ended, as the table of runs shows it.
struct HistoryEntry {
    std::uint64_t number = 0;  ///< from 1, in this session
    Report report;             ///< without its arrays
    double kernel_ns = 0;      ///< the median, sorted once; 0 when nothing was measured
};

/// GPU: upload, kernel, download, CPU steps, submit and wait, which add up to the wall clock's time; under it
/// the CPU baselines. Medians.
Plot where_the_time_goes(const Report& report);

/// The kernel's time, sample by sample.
Plot kernel_samples(const Report& report);

/// The latest kernel time of every variant of the lesson that ran with these values and this input, with the
/// interval of its median; nullopt before any did.
std::optional<Plot> time_per_variant(const Prepared& prepared, std::span<const HistoryEntry* const> runs);

/// The kernel's median, run by run, of this lesson.
std::optional<Plot> time_history(const Lesson& lesson, std::span<const HistoryEntry* const> runs);

/// The roofline: what the latest measured run of each variant of the lesson reached, under what the device
/// can do at its task's intensity (S. Williams, A. Waterman, D. Patterson, "Roofline", Communications of the
/// ACM 52(4), 2009). nullopt without a run that declares its operations, or before the ceilings are known.
std::optional<Plot> roofline(const Lesson& lesson, std::span<const HistoryEntry* const> runs);

/// A multiprocessor's places for subgroups, and who takes them by the model: a lane for each resource that
/// bounds, a cell for each subgroup that it can hold. registers of an invocation, 0 if not known. nullopt
/// where the device does not say enough.
std::optional<Plot> occupancy_picture(const Prepared& prepared, std::uint32_t registers);

/// What tells each of these runs from the others, in a few words: "tree_sequential", "workgroup size 256".
/// Runs of the same settings are called "run 1", "run 2".
std::vector<std::string> run_names(std::span<const Report* const> runs);

/// "comparison": what a question asks of two or more runs, or of its items, side by side, with the intervals
/// that decide it. nullopt where there is only one number, or a run lacks it.
std::optional<Plot> comparison_picture(const PredictBlock& question, std::span<const Report* const> runs);

}  // namespace gridstride

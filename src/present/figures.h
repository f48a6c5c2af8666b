// The pictures that every lesson has: where the time goes, how the samples fell, how the variants compare,
// what was launched. Data only: src/ui/plot draws them.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "lesson/lesson.h"
#include "lesson/plot.h"
#include "present/history_entry.h"

namespace gridstride {

/// GPU: upload, kernel, download, CPU steps, submit and wait, which add up to the wall clock's time; under it
/// the CPU baselines. Medians.
Plot where_the_time_goes(const Report& report, const Lesson& lesson);

/// The kernel's time, sample by sample.
Plot kernel_samples(const Report& report);

/// A run of the session, with what sorting its samples gave once.
struct EndedRun {
    const HistoryEntry* entry = nullptr;
    double kernel_ns = 0;  ///< the median; 0 when nothing was measured
};

/// The latest kernel time of every variant of the lesson that ran with these values and this input, with the
/// interval of its median; nullopt before any did.
std::optional<Plot> time_per_variant(const Prepared& asked, std::span<const EndedRun> runs);

/// The kernel's median, run by run, of this lesson.
std::optional<Plot> time_history(const Lesson& lesson, std::span<const EndedRun> runs);

/// The first workgroups of the main launch and what each of their invocations has to do in the first pass.
Plot launch_picture(const Plan& plan);

/// Median times of the parts of one run of the plan, nanoseconds; they add up to wall. kernel is that run's
/// own, never the batched one; rest is what the wall clock saw beyond them: filling and emptying staging
/// memory, submitting and waiting.
struct TimeParts {
    double upload = 0, kernel = 0, download = 0, host = 0, rest = 0, wall = 0;
    std::vector<double> cpu;  ///< the lesson's baselines, in its order
};
TimeParts time_parts(const Report& report);

}  // namespace gridstride

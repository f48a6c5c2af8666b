// Runs a plan repeatedly: judges every pass against the reference, samples its times and fills a report.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "lab/control.h"
#include "lab/execution.h"
#include "lab/request.h"
#include "lesson/lesson.h"
#include "lesson/report.h"

namespace gridstride::lab {

class MeasuredRun {
 public:
    /// The arguments must outlive the MeasuredRun. expected: the references of the outputs.
    MeasuredRun(Execution& execution, const PreparedExperiment& prepared,
                const std::vector<Expected>& expected, const Control& control, Report& report)
        : execution_(execution),
          prepared_(prepared),
          expected_(expected),
          control_(control),
          report_(report) {}

    /// Runs the plan once and judges the outputs; the report then has nothing else. Throws RunAborted.
    PassTimes run_judged_pass();

    /// Takes samples until there are enough. With sampling.quick_first_report, calls on_progress after the
    /// first few samples and then every 0.15 s or so; the report is complete then, except for what the caller
    /// adds. Throws RunAborted; the report then has the samples so far.
    void take_samples(const Sampling& sampling, const std::function<void()>& on_progress);

 private:
    using Clock = std::chrono::steady_clock;

    void judge_outputs();
    void add_times(const PassTimes& pass);
    void sample_until_enough(const Sampling& sampling, const std::function<void()>& on_progress);
    /// Adds the lesson's result and the CPU's times to the report. Not called between two passes: host work
    /// evicts caches or lets clocks drop, which slowed the next pass by a tenth on a software driver.
    void complete_report();
    /// Takes one sample for each pass so far, if time permits.
    void time_baselines();
    void report_progress(const Sampling& sampling, const std::function<void()>& on_progress);

    Execution& execution_;
    const PreparedExperiment& prepared_;
    const std::vector<Expected>& expected_;
    const Control& control_;
    Report& report_;
    std::vector<Fact> distances_;  ///< of the last pass, for references that ask for them
    double baseline_seconds_ = 0;
    bool are_baselines_skipped_ = false;              ///< the note on it has been added
    std::optional<Clock::time_point> last_progress_;  ///< of the last progress report
};

}  // namespace gridstride::lab

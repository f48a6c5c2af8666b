// A plan that is run again and again: every pass judged against the reference, its times sampled, all of it
// kept in a report.
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
    /// All of it outlives the MeasuredRun. expected: what the outputs must be.
    MeasuredRun(Execution& execution, const Prepared& prepared, const std::vector<Expected>& expected,
                const Control& control, Report& report)
        : execution_(execution),
          prepared_(prepared),
          expected_(expected),
          control_(control),
          report_(report) {}

    /// Runs the plan and judges what came out, which is all that the report then has. Throws GivenUp.
    PassTimes judged_pass();

    /// Takes samples until there are enough of them. on_progress: called after the first few and every tenth
    /// of a second or so from then on where sampling.first_quickly asks for it; the report is complete then,
    /// but for what the caller adds. Throws GivenUp; what was taken until then is in the report.
    void take_samples(const Sampling& sampling, const std::function<void()>& on_progress);

 private:
    using Clock = std::chrono::steady_clock;

    void judge_outputs();
    void keep(const PassTimes& pass);
    void sample_until_enough(const Sampling& sampling, const std::function<void()>& on_progress);
    /// What a report has beside the passes: the lesson's result and the CPU's times. Not between two passes:
    /// what the host's own work leaves in the caches, or sends to sleep, makes the pass behind it slower, on
    /// a software driver by a tenth.
    void complete_report();
    /// One sample for each pass until now, as far as there is time.
    void time_baselines();
    void tell(const Sampling& sampling, const std::function<void()>& on_progress);

    Execution& execution_;
    const Prepared& prepared_;
    const std::vector<Expected>& expected_;
    const Control& control_;
    Report& report_;
    std::vector<Fact> distances_;  ///< from the references that ask for it, in the last pass
    double baseline_seconds_ = 0;
    bool baselines_are_left_out_ = false;    ///< and it is said
    std::optional<Clock::time_point> told_;  ///< of progress, last
};

}  // namespace gridstride::lab

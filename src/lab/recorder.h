// A launch of a plan made to leave records of what its invocations do (see trace/trace.h): the same plan with
// one storage buffer more, which an execution runs as it runs any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lab/control.h"
#include "lab/execution.h"
#include "lab/measured_run.h"
#include "lab/request.h"
#include "launch/limits.h"
#include "launch/plan.h"
#include "lesson/experiment.h"
#include "trace/trace.h"

namespace gridstride::lab {

class Recorder {
 public:
    /// Of the launch that is asked for; plan and device outlive it. Throws Refusal, with all reasons: the
    /// plan has no such launch, or the launch no such workgroups.
    Recorder(const Plan& plan, const Recorded& options, const Limits& device);

    /// Index of the launch's step in the plan.
    std::size_t step() const { return step_; }

    /// The binding of the records, behind the launch's own.
    std::uint32_t binding() const { return static_cast<std::uint32_t>(trace_.buffers.size()); }

    /// The plan with the records' buffer, and with the kernel that writes them in place of the launch's.
    /// title: what people know the kernel as.
    Plan plan(const std::string& kernel, std::vector<trace::Site> sites, const std::string& title);

    /// The input with what plan() uploads to the records' buffer; an execution of the plan is to be given it.
    const Input& input(Input of_lesson);

    /// Runs the execution twice: first to count what each workgroup would leave, which says how many fit;
    /// then to record them, and that run is judged. The report gets the trace with what it shows, or one
    /// that says why it could not be made. Throws GivenUp.
    void record(Execution& execution, MeasuredRun& run, const Control& control, Report& report);

    /// The trace of a run that came to its end without a recording, for this reason.
    trace::Trace without_records(std::string reason) const;

 private:
    void put_head(std::uint64_t records_behind, bool counting);
    void choose_workgroups(const Array& counted);
    std::vector<trace::Stay> stays_in(std::span<const std::uint32_t> words) const;
    std::uint64_t workgroups_counted() const;

    const Plan& plan_;
    Recorded options_;
    const Limits& device_;
    std::size_t step_ = 0;
    std::uint64_t below_ = 1;     ///< see trace::words::below
    std::uint64_t capacity_ = 0;  ///< records
    Input input_;
    trace::Trace trace_;
};

}  // namespace gridstride::lab

// Traces a launch of a plan: prepares the plan so that the launch's invocations leave records of what they do
// (see trace/trace.h). The plan gets one more storage buffer, or two, and is executed like any other.
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

class TraceRecorder {
 public:
    /// plan and device must outlive the recorder. Throws Refusal, with all reasons, if the plan has no such
    /// launch or the launch has no such workgroups.
    TraceRecorder(const Plan& plan, const TraceOptions& options, const Limits& device);

    std::size_t step() const { return step_; }

    /// Returns the binding of the record buffer, after the launch's own.
    std::uint32_t binding() const { return static_cast<std::uint32_t>(trace_.buffers.size()); }

    /// Returns the plan with the buffers of records and the instrumented kernel. title: the kernel's name in
    /// the trace. branches_note: see trace::Trace; if it is not empty, there is no buffer of branch records.
    Plan plan(const std::string& kernel, std::vector<trace::Site> sites, const std::string& title,
              std::string branches_note = {});

    /// Returns the input for an execution of plan(): the lesson's, and the heads of the buffers.
    const Input& input(Input lesson_input);

    /// Runs the execution twice: first to count the records of each workgroup, which determines how many fit,
    /// then to record and judge. The report gets the trace and its findings, or a trace with the reason why
    /// there is none. Throws RunAborted.
    void record(Execution& execution, MeasuredRun& run, const Control& control, Report& report);

    /// Returns a trace without records, for a run that could not be traced for this reason.
    trace::Trace make_empty_trace(std::string reason) const;

 private:
    void set_head(std::uint64_t records_behind, bool counting);
    std::uint32_t branch_record_length() const;
    void set_branch_head(std::uint64_t records_behind);
    void choose_workgroups(const Outputs& counted);
    std::vector<trace::WorkgroupPlacement> read_placements(std::span<const std::uint32_t> words) const;
    std::uint64_t max_counted_workgroups() const;

    const Plan& plan_;
    TraceOptions options_;
    const Limits& device_;
    std::size_t step_ = 0;
    std::uint64_t workgroups_below_ = 1;   ///< see trace::words::below
    std::uint64_t capacity_ = 0;           ///< records
    std::uint64_t placed_workgroups_ = 0;  ///< workgroups whose placements are traced
    std::uint64_t branch_capacity_ = 0;    ///< branch records; 0: there is no buffer for them
    Input input_;
    trace::Trace trace_;
};

}  // namespace gridstride::lab

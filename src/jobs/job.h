// Work for the lab as a state machine without threads, clocks or drawing. The window carries out several jobs
// in turn (job_queue.h), the command line one (run_job.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lab/request.h"
#include "lesson/report.h"

namespace gridstride {

struct JobProgress {
    std::uint64_t done = 0, total = 0;        ///< runs, cells or cases
    std::optional<double> seconds_left = {};  ///< of the runs that have not ended; nullopt: not known
};

class Job {
 public:
    virtual ~Job() = default;

    /// What it is, for a person: "Sweep", "Question: Which workgroup size is fastest?".
    virtual std::string title() const = 0;
    /// The next request; whoever submits it sets its id. nullopt: the job has finished. Not called while the
    /// last request has no final report.
    virtual std::optional<lab::Request> next() = 0;
    /// A report of the last request. The last of them is final, whatever its status: one that was stopped has
    /// Status::stopped. `seconds`: since the request was submitted.
    virtual void on_report(const Report& report, double seconds) = 0;
    virtual JobProgress progress() const = 0;
};

/// For a number that the usual sampling leaves undecided.
inline lab::Sampling longer(lab::Sampling sampling) {
    sampling.budget_seconds = 5;
    sampling.whole_budget = true;
    return sampling;
}

}  // namespace gridstride

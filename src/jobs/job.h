// A job is work for the lab, written as a state machine without threads, clocks or drawing. The window
// interleaves several jobs (job_queue.h); the command line runs one at a time (run_job.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lab/request.h"
#include "lesson/report.h"

namespace gridstride {

struct JobProgress {
    std::uint64_t done = 0, total = 0;        ///< runs, cells or cases
    std::optional<double> seconds_left = {};  ///< for the remaining runs; nullopt: unknown
};

class Job {
 public:
    virtual ~Job() = default;

    /// Returns the title to show, for example "Sweep" or "Question: Which workgroup size is fastest?".
    virtual std::string title() const = 0;
    /// Returns the next request, or nullopt if the job has finished. The caller that submits the request sets
    /// its id. Must not be called before the final report of the previous request.
    virtual std::optional<lab::Request> next() = 0;
    /// Receives a report of the last request. The last report of a request is final, whatever its status; a
    /// stopped request ends with Status::stopped. `seconds` is the time since the request was submitted.
    virtual void on_report(const Report& report, double seconds) = 0;
    virtual JobProgress progress() const = 0;
};

/// Returns sampling with a budget of 5 s, for comparisons that the default sampling leaves undecided.
inline lab::Sampling with_longer_budget(lab::Sampling sampling) {
    sampling.budget_seconds = 5;
    sampling.whole_budget = true;
    return sampling;
}

}  // namespace gridstride

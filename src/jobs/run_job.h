// Runs a job to completion, for the command line.
#pragma once

#include <functional>

#include "client/client.h"
#include "jobs/job.h"

namespace gridstride {

struct JobOptions {
    double deadline_seconds = 0;  ///< for each request without its own; 0: lab::default_deadline_seconds()
    /// Called every few milliseconds. If it returns true, the current run is cancelled, and its report is the
    /// last one.
    std::function<bool()> interrupted = [] { return false; };
    /// Called after Job::on_report, with final reports only.
    std::function<void(const Report&)> on_report = {};
};

/// Returns false if the job was interrupted. Throws NoDevice.
bool run_job(lab::Client& client, Job& job, const JobOptions& options);

}  // namespace gridstride

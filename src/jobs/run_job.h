// Carries a job out to its end, for the command line.
#pragma once

#include <functional>

#include "client/client.h"
#include "jobs/job.h"

namespace gridstride {

struct JobOptions {
    double deadline_seconds = 0;  ///< of each request that names none; 0: lab::default_deadline_seconds()
    /// Called every few milliseconds; true stops the job: the run under way is cancelled, and its report is
    /// the last.
    std::function<bool()> interrupted = [] { return false; };
    std::function<void(const Report&)> on_report = {};  ///< called after Job::on_report, with final ones only
};

/// Returns false if it was interrupted. Throws NoDevice.
bool run_job(lab::Client& client, Job& job, const JobOptions& options);

}  // namespace gridstride

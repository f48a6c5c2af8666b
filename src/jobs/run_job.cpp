#include "jobs/run_job.h"

#include <utility>

#include "base/elapsed.h"

namespace gridstride {

bool run_job(lab::Client& client, Job& job, const JobOptions& options) {
    for (std::uint64_t id = 1;; ++id) {
        std::optional<lab::Request> request = job.next();
        if (!request) return true;
        request->id = id;
        if (request->deadline_seconds <= 0) request->deadline_seconds = options.deadline_seconds;
        if (options.interrupted()) {
            job.on_report(lab::make_stopped_report(*request, Limits{}), 0);
            return false;
        }
        const auto start = std::chrono::steady_clock::now();
        const Report report = lab::run_and_wait(client, std::move(*request), options.interrupted);
        job.on_report(report, seconds_since(start));
        if (options.on_report) options.on_report(report);
        if (report.status == Status::stopped) return false;
    }
}

}  // namespace gridstride

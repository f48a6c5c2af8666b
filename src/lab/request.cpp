#include "lab/request.h"

#include <fmt/format.h>

#include <random>

#include "base/utc_time.h"

namespace gridstride::lab {

namespace {

std::string new_run_id() {
    thread_local std::random_device entropy;
    return fmt::format("{:08x}{:08x}", entropy(), entropy());
}

}  // namespace

Report begin_report(const Request& request, const Limits& device) {
    return {.request = request.id,
            .run_id = new_run_id(),
            .started_utc = utc_now(),
            .experiment = request.experiment,
            .device = device};
}

Report make_stopped_report(const Request& request, const Limits& device) {
    Report report = begin_report(request, device);
    report.status = Status::stopped;
    report.message = stopped_message;
    return report;
}

Report make_failed_report(const Report& report, std::string message) {
    Report bare{.request = report.request,
                .run_id = report.run_id,
                .started_utc = report.started_utc,
                .experiment = report.experiment,
                .message = std::move(message),
                .device = report.device};
    bare.drop_arrays();
    return bare;
}

double default_deadline_seconds(const Limits& device) {
    return device.is_cpu ? 120 : 60;
}

}  // namespace gridstride::lab

#include "lab/request.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <random>

namespace gridstride::lab {

namespace {

std::string utc_now() {
    const auto now = std::chrono::system_clock::now();
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(now)),
                       milliseconds);
}

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

Report without_results(const Report& report, std::string message) {
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

#include "lab/begin_report.h"

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
    Report report;
    report.request = request.id;
    report.experiment = request.experiment;
    report.device = device;
    report.started_utc = utc_now();
    report.run_id = new_run_id();
    return report;
}

Report without_results(const Report& report, std::string message) {
    Report bare;
    bare.request = report.request;
    bare.experiment = report.experiment;
    bare.device = report.device;
    bare.started_utc = report.started_utc;
    bare.run_id = report.run_id;
    bare.message = std::move(message);
    bare.drop_arrays();
    return bare;
}

}  // namespace gridstride::lab

// The lab's part of the doctor: does it start, is its first result right, and how long does a person wait for
// it?
#include <fmt/format.h>

#include <chrono>

#include "base/elapsed.h"
#include "base/units.h"
#include "client/client.h"
#include "client/doctor.h"
#include "client/ready.h"
#include "lesson/common_parameters.h"

namespace gridstride::lab {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::uint64_t elements = 1024;
constexpr double deadline_seconds = 60;
/// A person at a slider notices more.
constexpr double slow_first_result_ns = 2e9;

Request request_for(const Lesson& lesson) {
    Request request;
    request.id = 1;
    request.experiment = default_experiment(lesson);
    request.experiment.values.set(lesson.domain.front(), elements);
    request.sampling.measure = false;
    request.deadline_seconds = deadline_seconds;
    return request;
}

Check judge_run(const Report& report, double first_result_ns) {
    Check check{"lab_run", "First result"};
    const std::string what = fmt::format("{}, {} elements", report.experiment.lesson, format_count(elements));
    if (report.status != Status::ok) {
        check.status = CheckStatus::problem;
        check.value = fmt::format("{}: {}. {}", what, name(report.status), report.message);
        check.advice =
            "The device or its driver does not compute what it should. Update the driver, or try another "
            "device: gridstride doctor --device NUMBER.";
        return check;
    }
    check.value = fmt::format("{}: right, after {}", what, format_time(first_result_ns).text());
    if (first_result_ns > slow_first_result_ns) {
        check.status = CheckStatus::warning;
        check.advice = "That is slow. Close other programs that keep the processor or the device busy.";
    }
    return check;
}

}  // namespace

std::vector<Check> check_lab(const std::string& wanted, const Lesson& lesson,
                             const std::function<bool()>& interrupted) {
    std::vector<Check> checks;
    try {
        const Clock::time_point start = Clock::now();
        const std::unique_ptr<Client> client = start_lab({.device = wanted});
        limits_in_time(*client, deadline_seconds, interrupted);
        checks.push_back(
            {"lab_start", "Lab", CheckStatus::ok,
             fmt::format("started, its device open after {}", format_time(nanoseconds_since(start)).text()),
             ""});
        const Clock::time_point submitted = Clock::now();
        const Report report = run_to_end(*client, request_for(lesson), interrupted);
        checks.push_back(judge_run(report, nanoseconds_since(submitted)));
    } catch (const std::exception& error) {
        const bool started = !checks.empty();
        checks.push_back({started ? "lab_run" : "lab_start", started ? "First result" : "Lab",
                          CheckStatus::problem, error.what(),
                          "Update the driver, or try another device: gridstride doctor --device NUMBER."});
    }
    return checks;
}

}  // namespace gridstride::lab

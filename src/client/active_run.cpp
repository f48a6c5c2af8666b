#include "client/active_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "lab/request.h"
#include "lesson/lesson.h"

namespace gridstride::lab {

namespace {

using Seconds = std::chrono::duration<double>;
using std::chrono::milliseconds;

/// The lab checks its deadline itself and stops cleanly if the device allows it; after this grace it is
/// killed.
constexpr milliseconds grace_after_deadline{250};
constexpr milliseconds grace_after_cancel{150};
/// A superseded run ends with its first result. A run without a result is aborted after this time, because it
/// may never end.
constexpr milliseconds superseded_timeout{1000};

}  // namespace

ActiveRun::ActiveRun(Request request, double default_deadline) : request_(std::move(request)) {
    if (request_.deadline_seconds <= 0) request_.deadline_seconds = default_deadline;
    deadline_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(request_.deadline_seconds));
    abort_time_ = deadline_ + grace_after_deadline;
}

Request ActiveRun::next_attempt() {
    is_sent_ = true;
    Request request = request_;
    request.deadline_seconds = std::max(0.001, Seconds(deadline_ - Clock::now()).count());
    return request;
}

void ActiveRun::supersede() {
    is_superseded_ = true;
    abort_time_ = std::min(abort_time_, Clock::now() + superseded_timeout);
}

void ActiveRun::cancel() {
    is_cancelled_ = true;
    abort_time_ = Clock::now() + grace_after_cancel;
}

bool ActiveRun::on_lab_lost() {
    if (++losses_ >= max_losses) return false;
    is_sent_ = is_superseded_ = false;
    abort_time_ = deadline_ + grace_after_deadline;
    partial_report_.reset();
    return true;
}

std::string ActiveRun::describe() const {
    const Experiment& experiment = request_.experiment;
    std::string text = fmt::format("{} {}", experiment.lesson, experiment.variant);
    if (const Lesson* const lesson = find_lesson(experiment)) {
        if (experiment.kernel)
            text += fmt::format(" with your {} {}", lesson->user_source().noun, experiment.kernel->name);
        else if (const Variant* const variant = find_variant(*lesson, experiment.variant);
                 variant && !variant->kernel.empty())
            text += fmt::format(" ({})", variant->kernel);
        const Extent domain = lesson->domain_extent(experiment.values),
                     grid = requested_grid(experiment.values);
        const Extent workgroup = requested_workgroup(experiment.values);
        const bool one = domain.dimensions() == 1;
        const auto format_extent = [&](const Extent& extent) {
            return one ? format_count(extent.x) : text_of(extent);
        };
        text += fmt::format(" over {} {}, {} of {} invocations", format_extent(domain), lesson->noun,
                            grid.x > 0 ? format_extent(grid) + " workgroups" : "workgroups",
                            format_extent(workgroup));
    }
    return text;
}

std::string ActiveRun::timeout_message() const {
    return fmt::format(
        "The run did not finish within its deadline of {} s and was ended; the lab is ready for the next "
        "one. It was running {}. Look for a loop that does not end, or use fewer elements. Commands "
        "allow more time with --deadline.",
        format_significant(request_.deadline_seconds), describe());
}

Report ActiveRun::make_final_report(Status status, const std::string& message, const Limits& device) {
    Report report = partial_report_ ? std::move(*partial_report_) : begin_report(request_, device);
    report.is_final = true;
    report.status = status;
    report.message = message;
    return report;
}

}  // namespace gridstride::lab

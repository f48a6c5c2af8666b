#include "client/run_in_air.h"

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
constexpr milliseconds patience_when_superseded{1000};

}  // namespace

RunInAir::RunInAir(Request request, double default_deadline) : request_(std::move(request)) {
    if (request_.deadline_seconds <= 0) request_.deadline_seconds = default_deadline;
    deadline_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(request_.deadline_seconds));
    give_up_at_ = deadline_ + grace_after_deadline;
}

Request RunInAir::next_try() {
    sent_ = true;
    Request request = request_;
    request.deadline_seconds = std::max(0.001, Seconds(deadline_ - Clock::now()).count());
    return request;
}

void RunInAir::supersede() {
    superseded_ = true;
    give_up_at_ = std::min(give_up_at_, Clock::now() + patience_when_superseded);
}

void RunInAir::cancel() {
    cancelled_ = true;
    give_up_at_ = Clock::now() + grace_after_cancel;
}

bool RunInAir::lose() {
    if (++losses_ >= max_losses) return false;
    sent_ = superseded_ = false;
    give_up_at_ = deadline_ + grace_after_deadline;
    so_far_.reset();
    return true;
}

std::string RunInAir::in_words() const {
    const Experiment& experiment = request_.experiment;
    std::string text = fmt::format("{} {}", experiment.lesson, experiment.variant);
    if (const Lesson* const lesson = find_lesson(experiment)) {
        if (experiment.kernel)
            text += fmt::format(" with your {} {}", lesson->own_text().noun, experiment.kernel->name);
        const Extent domain = lesson->domain_of(experiment.values), grid = grid_of(experiment.values);
        const Extent workgroup = workgroup_of(experiment.values);
        const bool one = domain.dimensions() == 1;
        const auto told = [&](const Extent& extent) {
            return one ? format_count(extent.x) : text_of(extent);
        };
        text += fmt::format(" over {} {}, {} of {} invocations", told(domain), lesson->noun,
                            grid.x > 0 ? told(grid) + " workgroups" : "workgroups", told(workgroup));
    }
    return text;
}

std::string RunInAir::why_timed_out() const {
    return fmt::format(
        "The run did not finish within its deadline of {} s and was ended; the lab is ready for the next "
        "one. It was running {}. Look for a loop that does not end, use fewer elements, or set a longer "
        "deadline.",
        format_significant(request_.deadline_seconds), in_words());
}

Report RunInAir::ended(Status status, const std::string& message, const Limits& device) {
    Report report = so_far_ ? std::move(*so_far_) : begin_report(request_, device);
    report.final = true;
    report.status = status;
    report.message = message;
    return report;
}

}  // namespace gridstride::lab

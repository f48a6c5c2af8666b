#include "session/session_text.h"

#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "present/verdict_text.h"
#include "session/session.h"

namespace gridstride {

namespace {

std::string describe_count(const JobProgress& progress) {
    if (progress.total < 2) return {};
    return tr("{} of {}", format_count(progress.done), format_count(progress.total));
}

}  // namespace

std::vector<std::string> VerdictText::details() const {
    std::vector<std::string> parts = {answer, errors, input_text};
    std::erase(parts, "");
    return parts;
}

std::string VerdictText::whole() const {
    std::vector<std::string> parts = details();
    parts.insert(parts.begin(), text);
    return join(parts, " · ");
}

VerdictText session_verdict(const Session& session) {
    const Report* report = session.report();
    if (!session.device_problem().empty()) return {tr("✗ no device"), ColorRole::wrong};
    if (!session.bench().is_valid()) return {tr("✗ these values cannot be run"), ColorRole::wrong};
    if (!report) return {session.is_measuring() ? tr("running …") : tr("not run yet"), ColorRole::quiet};
    return {describe_verdict(*report), report_color(*report), describe_answer(*report),
            describe_errors(*report), report->experiment.input.selection};
}

std::vector<std::string> describe_progress(const JobState& job) {
    const std::string count = describe_count(job.progress);
    // Rounded down, so that only full seconds are counted.
    const std::string time = job.is_stopping ? tr("stopping …")
                             : job.progress.seconds_left
                                 ? format_time_left(*job.progress.seconds_left)
                                 : tr("{} s elapsed", static_cast<std::uint64_t>(job.seconds));
    if (count.empty()) return {time};
    return {count + " · " + time, count};
}

std::string describe_state(const JobState& job) {
    if (job.is_running || job.is_stopping) return describe_progress(job).front();
    return job.progress.done > 0 ? tr("waits · {}", describe_count(job.progress)) : tr("waits");
}

std::string trace_delay_reason(const Session& session) {
    const Report* const report = session.hides_results() || session.is_stale() ? nullptr : session.report();
    const KernelEdit* const edit = session.kernel_edit();
    if (!session.device_problem().empty()) return session.device_problem();
    if (!session.bench().is_valid()) return tr("These values cannot be run. Change them to see the picture.");
    if (session.is_tracing()) return tr("Tracing what the invocations do …");
    if (session.is_measuring()) return tr("The trace for this picture starts when the run has ended.");
    if (session.sweeps().state() == SweepState::running)
        return tr("The trace for this picture starts when the sweep has ended.");
    if (edit && edit->state != KernelState::good)
        return tr("Your {} is traced once it has run.", session.lesson().user_source().noun);
    if (report && !report->is_measured())
        return tr("This run gave no result, so it is not traced automatically. The Inside tab can trace it.");
    return {};
}

}  // namespace gridstride

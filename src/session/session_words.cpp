#include "session/session_words.h"

#include <fmt/format.h>

#include "base/units.h"
#include "present/verdict_words.h"
#include "session/session.h"

namespace gridstride {

namespace {

std::string count_in_words(const JobProgress& progress) {
    if (progress.total < 2) return {};
    return fmt::format("{} of {}", format_count(progress.done), format_count(progress.total));
}

}  // namespace

Verdict verdict_of(const Session& session) {
    const Report* report = session.report();
    if (!session.no_device().empty()) return {"✗ no device", Ink::wrong};
    if (!session.bench().valid()) return {"✗ these values cannot be run", Ink::wrong};
    if (!report) return {session.is_measuring() ? "running …" : "not run yet", Ink::quiet};
    const std::string answer = answer_in_words(*report), errors = errors_in_words(*report);
    return {verdict_in_words(*report), ink_of(*report),
            answer + (answer.empty() || errors.empty() ? "" : " · ") + errors,
            report->experiment.input.taken};
}

std::vector<std::string> progress_in_words(const JobState& job) {
    const std::string count = count_in_words(job.progress);
    // Rounded down, so that only full seconds are counted.
    const std::string time = job.stopping ? "stopping …"
                             : job.progress.seconds_left
                                 ? time_left_in_words(*job.progress.seconds_left)
                                 : fmt::format("{} s elapsed", static_cast<std::uint64_t>(job.seconds));
    if (count.empty()) return {time};
    return {count + " · " + time, count};
}

std::string state_in_words(const JobState& job) {
    if (job.running || job.stopping) return progress_in_words(job).front();
    return job.progress.done > 0 ? "waits · " + count_in_words(job.progress) : "waits";
}

std::string what_recording_waits_for(const Session& session) {
    const Report* const report = session.hides_results() || session.stale() ? nullptr : session.report();
    const KernelEdit* const edit = session.kernel_edit();
    if (!session.no_device().empty()) return session.no_device();
    if (!session.bench().valid()) return "These values cannot be run. Change them to see the picture.";
    if (session.is_recording()) return "Recording what the invocations do …";
    if (session.is_measuring()) return "The picture is recorded when the run has ended.";
    if (session.sweeps().state() == SweepState::running)
        return "The picture is recorded when the sweep has ended.";
    if (edit && edit->state != KernelState::good)
        return fmt::format("Your {} is recorded once it has run.", session.lesson().own_text().noun);
    if (report && !report->measured())
        return "This run gave no result, so it is not recorded automatically. The Inside tab can record it.";
    return {};
}

}  // namespace gridstride

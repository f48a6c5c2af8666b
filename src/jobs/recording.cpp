#include "jobs/recording.h"

#include <memory>
#include <stdexcept>
#include <utility>

#include "lesson/recorded_metrics.h"
#include "present/verdict_words.h"

namespace gridstride {

namespace {

/// Returns why the run has no trace, or an empty string if it has one.
std::string why_no_recording(const Report& run) {
    if (run.trace) return run.trace->reason;
    if (run.message.empty()) return "This run was not recorded. Record it again.";
    const bool given_up = run.status == Status::stopped || run.status == Status::lost;
    return given_up ? run.message + " Record it again." : message_in_words(run);
}

}  // namespace

std::vector<RecordedMetric> numbers_of_recording(const Report& report) {
    const std::string why = why_no_recording(report);
    return why.empty() ? report.recorded : without_values(why);
}

TakenRecording taken_apart(Report report) {
    std::vector<trace::Finding> findings = std::exchange(report.findings, {});
    TakenRecording made{.report = std::make_shared<const Report>(std::move(report))};
    const Report& run = *made.report;
    made.problem = why_no_recording(run);
    if (made.problem.empty() && !run.trace->words)
        made.problem = "The recording arrived without its records. Record it again.";
    if (!made.problem.empty()) return made;
    try {
        made.records = trace::records_of(*run.trace);
        made.findings = std::move(findings);
        if (!trace::are_there(made.findings, run.trace->sites.size(), made.records.size()))
            made.problem = "The findings refer to records that are missing. Record it again.";
        else
            made.race_partners = trace::race_partners(*run.trace, made.records);
    } catch (const std::runtime_error& error) {
        made.problem = error.what();
    }
    return made;
}

}  // namespace gridstride

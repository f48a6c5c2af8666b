#include "jobs/trace_analysis.h"

#include <memory>
#include <stdexcept>
#include <utility>

#include "base/language.h"
#include "lesson/trace_metrics.h"
#include "present/verdict_text.h"
#include "trace/branches.h"

namespace gridstride {

namespace {

/// Returns why the run has no trace, or an empty string if it has one.
std::string missing_trace_reason(const Report& run) {
    if (run.trace) return run.trace->reason;
    if (run.message.empty()) return tr("This run was not traced. Trace the run again.");
    const bool given_up = run.status == Status::stopped || run.status == Status::lost;
    return given_up ? run.message + tr(" Trace the run again.") : describe_message(run);
}

}  // namespace

std::vector<TraceMetric> trace_metrics(const Report& report) {
    const std::string reason = missing_trace_reason(report);
    return reason.empty() ? report.trace_metrics : make_empty_trace_metrics(reason);
}

AnalyzedTrace analyze_trace(Report report) {
    std::vector<trace::Finding> findings = std::exchange(report.findings, {});
    AnalyzedTrace result{.report = std::make_shared<const Report>(std::move(report))};
    const Report& run = *result.report;
    result.problem = missing_trace_reason(run);
    if (result.problem.empty() && !run.trace->words)
        result.problem = tr("The trace has no records. Trace the run again.");
    if (!result.problem.empty()) return result;
    try {
        result.records = trace::decode_records(*run.trace);
        trace::decode_branches(*run.trace);  // pictures decode them again, and rely on their being readable
        result.findings = std::move(findings);
        if (!trace::have_valid_references(result.findings, run.trace->sites.size(), result.records.size()))
            result.problem = tr("The findings refer to records that are missing. Trace the run again.");
        else
            result.race_partners = trace::race_partners(*run.trace, result.records);
    } catch (const std::runtime_error& error) {
        result.problem = error.what();
    }
    return result;
}

}  // namespace gridstride

#include "present/limits_json.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace gridstride {

namespace {

Json finding_json(const LimitFinding& finding) {
    Json lines = Json::array();
    for (const trace::SourceLine& line : finding.lines)
        lines.push_back(trace::source_line_text(line));
    Json explanations = Json::array();
    for (const Explanation& explanation : finding.explanations)
        explanations.push_back({{"cause", explanation.cause}, {"sweep_result", explanation.sweep_result}});
    return {{"id", name(finding.kind)},
            {"title", finding.title},
            {"evidence", finding.evidence},
            {"source", name(finding.origin)},
            {"of_whole_run", finding.is_of_run()},
            {"max_speedup", finding.max_speedup},
            {"unclear", finding.is_unclear},
            {"lines", lines},
            {"explanations", explanations},
            {"experiment", finding.experiment.empty() ? Json(nullptr) : Json(finding.experiment)},
            {"lesson", teaching_lesson(finding.kind)}};
}

Json intensity_json(const std::optional<double>& intensity) {
    return intensity ? Json(*intensity) : Json(nullptr);
}

}  // namespace

Json limits_json(const Report& report, const RunLimits& limits) {
    Json findings = Json::array();
    for (const LimitFinding& finding : limits.findings)
        findings.push_back(finding_json(finding));
    return {{"lesson", report.experiment.lesson},
            {"variant", report.experiment.variant},
            {"device", report.device.device_name},
            {"status", name(report.status)},
            {"kernel_ns", limits.kernel_ns},
            {"floor_ns", limits.floor_ns},
            {"floor", limits.floor_text},
            {"missing", limits.missing},
            {"traced_launch", limits.traced_launch},
            {"min_bytes_intensity", intensity_json(limits.min_bytes_intensity)},
            {"accessed_intensity", intensity_json(limits.accessed_intensity)},
            {"findings", findings}};
}

}  // namespace gridstride

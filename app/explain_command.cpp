#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "commands.h"
#include "explain/run_limits.h"
#include "jobs/trace_analysis.h"
#include "present/limits_json.h"
#include "run_setup.h"
#include "standard_output.h"

namespace gridstride::app {

namespace {

void print_finding(const LimitFinding& finding) {
    const std::string gain =
        finding.is_unclear ? tr("unclear") : tr("up to {} ×", format_significant(finding.max_speedup));
    print("  {:>12}  {} ({})\n{:>14}{}\n", gain, finding.title, tr(name(finding.origin)), "",
          finding.evidence);
    for (const Explanation& explanation : finding.explanations)
        print("{:>14}- {}\n", "", explanation_text(explanation));
    if (!finding.experiment.empty()) print("{:>14}{}\n", "", tr("To tell: sweep {}.", finding.experiment));
    if (find_lesson(std::string(teaching_lesson(finding.kind))))
        print("{:>14}{}\n", "", tr("Lesson: {}.", teaching_lesson(finding.kind)));
}

void print_limits(const Report& report, const RunLimits& limits) {
    print("{}: {}\n", row_label(report.experiment), limits.floor_text);
    if (!limits.traced_launch.empty()) print("{}\n", limits.traced_launch);
    for (const bool of_run : {false, true}) {
        std::vector<std::string> negligible;
        bool has_heading = false;
        for (const LimitFinding& finding : limits.findings) {
            if (finding.is_of_run() != of_run) continue;
            if (finding.max_speedup < min_speedup) {
                negligible.push_back(fmt::format("{}: {}", finding.title, finding.evidence));
                continue;
            }
            if (!has_heading) print("{}\n", of_run ? tr("The whole run") : tr("The kernel"));
            has_heading = true;
            print_finding(finding);
        }
        if (!negligible.empty())
            print("{}\n  {}\n",
                  of_run ? tr("The whole run, nothing to gain:") : tr("The kernel, nothing to gain:"),
                  join(negligible, "\n  "));
    }
    if (!limits.missing.empty()) print("{}\n", limits.missing);
}

}  // namespace

int run_command(const ExplainOptions& options) {
    if (options.variants.size() > 1 && !options.kernel.empty())
        throw Refusal("--kernel replaces the kernel of one variant. Name one variant.");
    RunSetup setup = prepare_runs(options, options);
    Json all = Json::array();
    int code = exit_success;
    RunRemarks remarks;
    for (std::size_t i = 0; i < options.variants.size() && (i == 0 || (setup.device && !is_interrupted()));
         ++i) {
        const Report report = run_with_progress(setup, options, i, {});
        print_message(report);
        remarks.add(report);
        if (code == exit_success) code = exit_code_for(report);
        if (!report.is_measured()) continue;
        lab::Request traced;
        traced.trace_options = {
            .launch = find_longest_launch(report, prepare(report.experiment, report.device).plan),
            .needs_ceilings = true};
        const AnalyzedTrace analysis = analyze_trace(run_with_progress(setup, options, i, traced));
        RunLimits limits = find_run_limits(report, &analysis);
        if (!analysis.problem.empty()) limits.missing += " " + analysis.problem;
        if (options.json)
            all.push_back(limits_json(report, limits));
        else if (i == 0)
            print_heading(report);
        if (!options.json) print_limits(report, limits);
    }
    if (options.json)
        print("{}\n", options.variants.size() == 1 && !all.empty() ? all.front().dump() : all.dump());
    remarks.print();
    return code;
}

}  // namespace gridstride::app

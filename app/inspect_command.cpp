#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "commands.h"
#include "csv_rows.h"
#include "jobs/trace_analysis.h"
#include "present/trace_json.h"
#include "present/verdict_text.h"
#include "run_setup.h"
#include "standard_output.h"
#include "trace/branches.h"

namespace gridstride::app {

namespace {

using trace::Finding;
using trace::FindingKind;
using trace::Trace;

/// Parses "3:7".
void parse_workgroups(const std::string& text, lab::TraceOptions& trace_options) {
    if (text.empty()) return;
    const std::vector<std::string_view> ends = split(text, ':');
    const auto first = parse_number<std::uint64_t>(ends.front());
    const auto last = parse_number<std::uint64_t>(ends.back());
    if (ends.size() != 2 || !first || !last)
        throw Refusal(
            fmt::format("--workgroups {} cannot be used. Give the first and the last workgroup, from 0, "
                        "separated by a colon: 0:7.",
                        text));
    trace_options.first_workgroup = *first;
    trace_options.last_workgroup = *last;
}

/// Returns true for findings that make a kernel wrong even if its output is right.
bool is_kernel_error(const Finding& finding) {
    const bool of_the_kernel =
        finding.kind == FindingKind::race || finding.kind == FindingKind::out_of_bounds ||
        finding.kind == FindingKind::divergent_barrier || finding.kind == FindingKind::coverage ||
        finding.kind == FindingKind::unwritten;
    return of_the_kernel && finding.status == trace::FindingStatus::problem;
}

int trace_exit_code(const AnalyzedTrace& analysis) {
    if (const int code = exit_code_for(*analysis.report); code != exit_success) return code;
    if (!analysis.problem.empty()) return exit_lab_lost;
    return std::ranges::any_of(analysis.findings, is_kernel_error) ? exit_mismatch : exit_success;
}

std::string describe_traced_workgroups(const Trace& trace) {
    const std::uint64_t all = trace.grid.product();
    if (!trace.reason.empty()) return counted(all, "workgroup");
    if (trace.is_whole_launch()) return counted(all, "workgroup");
    if (trace.first_workgroup == trace.last_workgroup)
        return fmt::format("workgroup {} of {}", trace.first_workgroup, format_count(all));
    return fmt::format("workgroups {} to {} of {}", trace.first_workgroup, trace.last_workgroup,
                       format_count(all));
}

std::string find_site_value(const std::vector<Finding>& findings, FindingKind kind, std::uint32_t site) {
    for (const Finding& finding : findings)
        if (finding.kind == kind && finding.site == site && finding.value)
            return format_significant(*finding.value, 4);
    return "";
}

void print_sites(const AnalyzedTrace& analysis) {
    const Trace& trace = analysis.trace();
    const std::vector<std::uint64_t> accesses = trace::count_executions(trace, analysis.records);
    print("{:<32} {:<8} {:<18} {:>6} {:>10} {:>7} {:>8} {:>7} {:>7}\n", "place", "kind", "variable", "bytes",
          "accesses", "lanes", "sectors", "turns", "queue");
    for (std::uint32_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        if (accesses[i] == 0) continue;
        const auto value = [&](FindingKind kind) { return find_site_value(analysis.findings, kind, i); };
        print("{:<32} {:<8} {:<18} {:>6} {:>10} {:>7} {:>8} {:>7} {:>7}\n",
              fmt::format("{}:{}", site.file, site.line), trace::name(site.kind), variable_name(site),
              site.bytes > 0 ? format_count(site.bytes) : "", format_count(accesses[i]),
              value(FindingKind::activity), value(FindingKind::sectors), value(FindingKind::banks),
              value(FindingKind::atomics));
    }
}

/// Returns false for findings that only the row of their site shows, because they are ok.
bool needs_line(const Finding& finding) {
    const bool has_a_column = finding.kind == FindingKind::activity || finding.kind == FindingKind::sectors ||
                              finding.kind == FindingKind::banks || finding.kind == FindingKind::atomics;
    return !has_a_column || finding.status != trace::FindingStatus::ok;
}

void print_findings(const std::vector<Finding>& findings) {
    constexpr const char* marks[] = {"✓", "!", "✗", "?"};  // by trace::FindingStatus
    for (const Finding& finding : findings)
        if (needs_line(finding))
            print("{} {}\n", marks[static_cast<std::size_t>(finding.status)], finding.sentence);
}

void print_table(const AnalyzedTrace& analysis) {
    const Report& report = *analysis.report;
    const Trace& trace = analysis.trace();
    print("{} · {}{} · {} · {} · {}\n", row_label(report.experiment), trace.launch,
          trace.launches > 1 ? fmt::format(" (launch {} of {})", trace.launch_number, trace.launches) : "",
          describe_traced_workgroups(trace), counted(analysis.records.size(), "record"),
          verdict_word(report));
    if (!analysis.problem.empty()) return;
    if (trace.lost > 0)
        print_status("{}: The record buffer overflowed; {} were lost. {}", row_label(report.experiment),
                     counted(trace.lost, "record"),
                     trace.first_workgroup == trace.last_workgroup
                         ? "A single workgroup has more records than fit: give fewer elements, or a smaller "
                           "workgroup."
                         : "Trace fewer workgroups, for example --workgroups 0:0.");
    print_sites(analysis);
    print_findings(analysis.findings);
    // If there are no banks, a finding says why.
    if (trace.banks > 0) print("{}\n", trace.banks_note);
    flush_stdout();
}

}  // namespace

int run_command(const InspectOptions& options) {
    const std::vector<std::string>& variants = options.variants;
    if (variants.size() > 1 && !options.kernel.empty())
        throw Refusal("--kernel replaces the kernel of one variant. Name one variant.");
    if (variants.size() > 1 && !options.trace.empty())
        throw Refusal("--trace writes the records of one variant. Name one variant.");
    lab::Request request;
    lab::TraceOptions& trace_options = request.trace_options.emplace();
    trace_options.launch = options.launch;
    parse_workgroups(options.workgroups, trace_options);
    if (!options.trace.empty()) {
        require_writable(options.trace);
        report_partial_files(options.trace);
    }

    RunSetup setup = prepare_runs(options, options);
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    int code = exit_success;
    bool all_saved = true;
    std::size_t inspected_count = 0;
    RunRemarks remarks;
    for (; inspected_count < variants.size() && (inspected_count == 0 || (setup.device && !is_interrupted()));
         ++inspected_count) {
        const AnalyzedTrace analysis =
            analyze_trace(run_with_progress(setup, options, inspected_count, request));
        const Report& report = *analysis.report;
        print_message(report);
        remarks.add(report);
        if (report.trace && !analysis.problem.empty())
            print_status("{}: There is no trace. {}", row_label(report.experiment), analysis.problem);
        if (!options.json && inspected_count == 0 && report.trace) print_heading(report);
        if (!options.json && report.trace) print_table(analysis);
        if (options.json)
            all.push_back(trace_json(report, analysis.records, analysis.findings, analysis.problem));
        if (!options.trace.empty() && analysis.problem.empty())
            all_saved =
                try_save([&] { write_file(options.trace, trace_csv(analysis.trace(), analysis.records)); });
        // The first failure determines the exit code.
        if (code == exit_success) code = trace_exit_code(analysis);
    }
    if (inspected_count < variants.size()) {
        print_status("stopped after {} of {} variants.", inspected_count, variants.size());
        if (code == exit_success) code = exit_lab_lost;
    }
    if (options.json) print("{}\n", variants.size() == 1 ? all.front().dump() : all.dump());
    remarks.print();
    return all_saved ? code : exit_file;
}

}  // namespace gridstride::app

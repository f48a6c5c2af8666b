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
#include "jobs/recording.h"
#include "one_run.h"
#include "present/trace_json.h"
#include "present/verdict_words.h"
#include "standard_output.h"

namespace gridstride::app {

namespace {

using trace::Finding;
using trace::FindingKind;
using trace::Trace;

/// Parses "3:7".
void read_workgroups(const std::string& text, lab::Recorded& recorded) {
    if (text.empty()) return;
    const std::vector<std::string_view> ends = split(text, ':');
    const auto first = number_in<std::uint64_t>(ends.front());
    const auto last = number_in<std::uint64_t>(ends.back());
    if (ends.size() != 2 || !first || !last)
        throw Refusal(
            fmt::format("--workgroups {} cannot be used. Give the first and the last workgroup, from 0, "
                        "separated by a colon: 0:7.",
                        text));
    recorded.first_workgroup = *first;
    recorded.last_workgroup = *last;
}

/// Returns true for findings that make a kernel wrong even if its output is right.
bool is_wrong(const Finding& finding) {
    const bool of_the_kernel = finding.kind == FindingKind::race || finding.kind == FindingKind::outside ||
                               finding.kind == FindingKind::divergent_barrier ||
                               finding.kind == FindingKind::coverage;
    return of_the_kernel && finding.status == trace::Verdict::problem;
}

int code_of(const TakenRecording& taken) {
    if (const int code = exit_code_of(*taken.report); code != exit_fine) return code;
    if (!taken.problem.empty()) return exit_lab_lost;
    return std::ranges::any_of(taken.findings, is_wrong) ? exit_mismatch : exit_fine;
}

std::string workgroups_in_words(const Trace& trace) {
    const std::uint64_t all = trace.grid.product();
    if (!trace.reason.empty()) return counted(all, "workgroup");
    if (trace.whole_launch()) return counted(all, "workgroup");
    if (trace.first_workgroup == trace.last_workgroup)
        return fmt::format("workgroup {} of {}", trace.first_workgroup, format_count(all));
    return fmt::format("workgroups {} to {} of {}", trace.first_workgroup, trace.last_workgroup,
                       format_count(all));
}

std::string value_of(const std::vector<Finding>& findings, FindingKind kind, std::uint32_t site) {
    for (const Finding& finding : findings)
        if (finding.kind == kind && finding.site == site && finding.value)
            return format_significant(*finding.value, 4);
    return "";
}

void print_sites(const TakenRecording& taken) {
    const Trace& trace = taken.trace();
    std::vector<std::uint64_t> accesses(trace.sites.size());
    for (const trace::Record& record : taken.records)
        ++accesses[record.site];
    print("{:<32} {:<8} {:<18} {:>6} {:>10} {:>7} {:>8} {:>7} {:>7}\n", "place", "kind", "variable", "bytes",
          "accesses", "lanes", "sectors", "turns", "queue");
    for (std::uint32_t i = 0; i < trace.sites.size(); ++i) {
        const trace::Site& site = trace.sites[i];
        if (accesses[i] == 0) continue;
        const auto value = [&](FindingKind kind) { return value_of(taken.findings, kind, i); };
        print("{:<32} {:<8} {:<18} {:>6} {:>10} {:>7} {:>8} {:>7} {:>7}\n",
              fmt::format("{}:{}", site.file, site.line), trace::name(site.kind), variable_of(site),
              site.bytes > 0 ? format_count(site.bytes) : "", format_count(accesses[i]),
              value(FindingKind::activity), value(FindingKind::sectors), value(FindingKind::banks),
              value(FindingKind::atomics));
    }
}

/// Returns false for findings that only the row of their site shows, because they are ok.
bool needs_a_line(const Finding& finding) {
    const bool has_a_column = finding.kind == FindingKind::activity || finding.kind == FindingKind::sectors ||
                              finding.kind == FindingKind::banks || finding.kind == FindingKind::atomics;
    return !has_a_column || finding.status != trace::Verdict::ok;
}

void print_findings(const std::vector<Finding>& findings) {
    constexpr const char* marks[] = {"✓", "!", "✗", "?"};  // by trace::Verdict
    for (const Finding& finding : findings)
        if (needs_a_line(finding))
            print("{} {}\n", marks[static_cast<std::size_t>(finding.status)], finding.sentence);
}

void print_table(const TakenRecording& taken) {
    const Report& report = *taken.report;
    const Trace& trace = taken.trace();
    print("{} · {}{} · {} · {} · {}\n", row_name(report.experiment), trace.launch,
          trace.launches > 1 ? fmt::format(" (launch {} of {})", trace.launch_number, trace.launches) : "",
          workgroups_in_words(trace), counted(taken.records.size(), "record"), verdict_word(report));
    if (!taken.problem.empty()) return;
    if (trace.lost > 0)
        say("{}: The record buffer overflowed; {} were lost. {}", row_name(report.experiment),
            counted(trace.lost, "record"),
            trace.first_workgroup == trace.last_workgroup
                ? "A single workgroup has more records than fit: give fewer elements, or a smaller "
                  "workgroup."
                : "Record fewer workgroups, for example --workgroups 0:0.");
    print_sites(taken);
    print_findings(taken.findings);
    // If there are no banks, a finding says why.
    if (trace.banks > 0) print("{}\n", trace.banks_note);
    flush_stdout();
}

}  // namespace

int carry_out(const InspectOptions& options) {
    const std::vector<std::string>& variants = options.variants;
    if (variants.size() > 1 && !options.kernel.empty())
        throw Refusal("--kernel replaces the kernel of one variant. Name one variant.");
    if (variants.size() > 1 && !options.trace.empty())
        throw Refusal("--trace writes the records of one variant. Name one variant.");
    lab::Request request;
    lab::Recorded& recorded = request.recorded.emplace();
    recorded.launch = options.launch;
    read_workgroups(options.workgroups, recorded);
    if (!options.trace.empty()) {
        require_writable(options.trace);
        name_left_behind(options.trace);
    }

    ReadyToRun ready = make_ready(options, options);
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    int code = exit_fine;
    bool all_saved = true;
    std::size_t inspected = 0;
    RunRemarks remarks;
    for (; inspected < variants.size() && (inspected == 0 || (ready.device && !interrupted())); ++inspected) {
        const TakenRecording taken = taken_apart(run_watched(ready, options, inspected, request));
        const Report& report = *taken.report;
        print_message(report);
        remarks.add(report);
        if (report.trace && !taken.problem.empty())
            say("{}: No trace was recorded. {}", row_name(report.experiment), taken.problem);
        if (!options.json && inspected == 0 && report.trace) print_heading(report);
        if (!options.json && report.trace) print_table(taken);
        if (options.json) all.push_back(trace_json(report, taken.records, taken.findings, taken.problem));
        if (!options.trace.empty() && taken.problem.empty())
            all_saved = saved([&] { write_file(options.trace, trace_csv(taken.trace(), taken.records)); });
        // The first failure determines the exit code.
        if (code == exit_fine) code = code_of(taken);
    }
    if (inspected < variants.size()) {
        say("stopped after {} of {} variants.", inspected, variants.size());
        if (code == exit_fine) code = exit_lab_lost;
    }
    if (options.json) print("{}\n", variants.size() == 1 ? all.front().dump() : all.dump());
    remarks.print();
    return all_saved ? code : exit_file;
}

}  // namespace gridstride::app

#include "run_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "base/elapsed.h"
#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "client/start_lab.h"
#include "lesson/kernel_file.h"
#include "lesson/user_data.h"
#include "present/run_remarks.h"
#include "present/verdict_text.h"
#include "progress_line.h"
#include "shader/compiler.h"
#include "standard_output.h"
#include "sweep/sweep_form.h"
#include "sweep/sweep_values.h"
#include "sweep/tuned_file.h"

namespace gridstride::app {

namespace {

/// Parses all parameters and appends the errors to `reasons`. `device` is null if it is unknown.
Values read_values(const LessonOptions& options, const Limits* device, std::vector<std::string>& reasons) {
    Values values(options.lesson->parameters);
    for (const auto& [parameter, text] : options.flags) {
        try {
            values.set(parameter->id, parse(*parameter, text, device));
        } catch (const Refusal& refused) {
            reasons.push_back(refused.what());
        }
    }
    return values;
}

Report make_unstarted_report(const lab::Request& request, const std::string& reason) {
    Report report = lab::begin_report(request, Limits{});
    report.status = is_interrupted() ? Status::stopped : Status::timed_out;
    report.message = reason;
    return report;
}

/// Returns the command for a sweep of the launch with the given parameters: "gridstride sweep reduction
/// --variant tree_sequential --elements 1000 --workgroup-size 8:1024:×2".
std::string sweep_command(const LessonOptions& options, const std::vector<Experiment>& experiments,
                          const Limits& device) {
    const Lesson& lesson = *options.lesson;
    const Experiment& first = experiments.front();
    const SweepForm form = default_form(prepare(lesson, first, device));
    std::string command = fmt::format("gridstride sweep {} --variant {}", lesson.id,
                                      join(experiments | std::views::transform(&Experiment::variant), ","));
    for (const Parameter& parameter : lesson.parameters) {
        const bool is_written = std::ranges::count(options.flags, &parameter, &ParameterText::parameter) > 0;
        const bool is_of_file = first.input.numbers && lesson.is_set_by_input(parameter.id);
        if (form.texts.contains(parameter.id))
            command += fmt::format(" --{} {}", kebab_case(parameter.id), form.texts.at(parameter.id));
        else if (is_written || is_of_file)
            command += fmt::format(" --{} {}", kebab_case(parameter.id),
                                   format(parameter, first.values.at(parameter.id)));
    }
    return command;
}

void apply_tuned(const TunedLaunch& tuned, const LessonOptions& options, Experiment& experiment) {
    std::vector<std::string> named;
    for (const std::string& id : tuned.parameters) {
        if (std::ranges::any_of(options.flags, [&](const auto& flag) { return flag.parameter->id == id; }))
            named.push_back("--" + kebab_case(id));
        else
            experiment.values.set(id, tuned.experiment.values.at(id));
    }
    const bool all_named = named.size() == tuned.parameters.size();
    print_status("{}: the best launch is {}{}. {}", experiment.variant, describe_launch(tuned),
                 named.empty() ? ", which is used"
                               : fmt::format("; {} {} as given on the command line{}", join(named, " and "),
                                             named.size() == 1 ? "stays" : "stay",
                                             all_named ? ", so it is not used" : ", the rest is used"),
                 describe_tuned(tuned, experiment));
}

std::string no_tuned_reason(const TunedLaunch* stale, const Lesson& lesson, const Experiment& experiment,
                            const Limits& device) {
    if (stale) return describe_staleness(*stale, device);
    if (is_wrong_on_purpose(lesson, experiment)) return "It is wrong on purpose, so no sweep selects it.";
    return fmt::format("No sweep on {} has found the best launch for about {}.", device.device_name,
                       counted(size_class(domain_extent(experiment).product()), "element"));
}

/// Applies the remembered launches to all experiments. Throws Refusal if there is none for any of them.
void apply_tuned_launches(const LessonOptions& options, std::vector<Experiment>& experiments,
                          const Limits& device) {
    const std::vector<TunedLaunch> known = read_tuned(tuned_file());
    std::vector<Experiment> to_sweep;
    std::map<std::string, std::vector<std::string>> variants_by_reason;  // variants by the reason
    std::size_t applied_count = 0;
    for (Experiment& experiment : experiments) {
        apply_input_extent(*options.lesson, experiment);
        const TunedLaunch* const tuned = find_tuned(known, experiment, device);
        if (tuned && !is_stale(*tuned, device)) {
            apply_tuned(*tuned, options, experiment);
            ++applied_count;
            continue;
        }
        variants_by_reason[no_tuned_reason(tuned, *options.lesson, experiment, device)].push_back(
            experiment.variant);
        if (!is_wrong_on_purpose(*options.lesson, experiment)) to_sweep.push_back(experiment);
    }
    std::vector<std::string> sentences;
    for (const auto& [reason, variants] : variants_by_reason)
        sentences.push_back(fmt::format("{}: {}", join(variants, ", "), reason));
    if (!to_sweep.empty())
        sentences.push_back(fmt::format("To find it, run {}", sweep_command(options, to_sweep, device)));
    if (applied_count == 0) throw Refusal(std::move(sentences));
    for (const std::string& sentence : sentences)
        print_status("{}", sentence);
}

/// Prints on stderr in the form of compilers, which editors understand.
void print_diagnostics(const std::vector<Diagnostic>& diagnostics) {
    if (!diagnostics.empty()) write_stderr_line(shader::CompileResult{.diagnostics = diagnostics}.text());
}

/// Refuses a file that is much too large before it is read. The factor 2 allows for CRLF line ends.
void require_size_of_program(const std::filesystem::path& file) {
    std::error_code none;
    const std::uintmax_t bytes = std::filesystem::file_size(file, none);
    if (!none && bytes > 2 * max_program_bytes)
        throw program_too_large(printable(file.filename().native()), bytes);
}

/// Returns an error for each file that the program writes through a link to another folder.
std::vector<Diagnostic> check_saved_files(const PreparedExperiment& prepared) {
    std::vector<Diagnostic> wrong;
    for (const SavedArray& saved : prepared.plan.files) {
        try {
            resolve_path_in_folder(prepared.program.folder, saved.file);
        } catch (const FileError& error) {
            wrong.push_back({.file = prepared.program.name, .line = saved.line, .text = error.what()});
        }
    }
    return wrong;
}

}  // namespace

RunSetup prepare_runs(const LessonOptions& options, const UserFiles& own, bool tuned) {
    RunSetup setup;
    Experiment experiment = default_experiment(*options.lesson);
    if (options.lesson->has_programs()) require_size_of_program(own.kernel);
    if (!own.kernel.empty()) experiment.kernel = read_kernel(own.kernel);
    if (own.input.empty() && own.choice != FileChoice())
        throw Refusal(
            "--column, --header, --channel and --wav-scale need --input. Give a file with --input.");
    if (!own.input.empty()) experiment.input = read_user_data(own.input, *options.lesson, own.choice);
    is_interrupted();
    setup.client = lab::start_lab({.device = options.device});
    try {
        setup.device = &lab::wait_for_limits(*setup.client, options.deadline_seconds, is_interrupted);
    } catch (const lab::NotReady& not_ready) {
        setup.no_device_reason = not_ready.what();
    }
    std::vector<std::string> reasons;
    experiment.values = read_values(options, setup.device, reasons);
    for (const std::string& variant : options.variants) {
        experiment.variant = variant;
        setup.experiments.push_back(experiment);
    }
    if (tuned && setup.device && reasons.empty())
        apply_tuned_launches(options, setup.experiments, *setup.device);
    if (setup.device) {
        PreparedExperiment prepared = prepare(*options.lesson, setup.experiments.front(), *setup.device);
        if (own.saves_files && prepared.diagnostics.empty())
            prepared.diagnostics = check_saved_files(prepared);
        if (!prepared.diagnostics.empty()) {
            print_diagnostics(prepared.diagnostics);
            reasons.push_back(fmt::format("{} {}. Nothing was run.", prepared.program.name,
                                          options.lesson->user_source().failure_verb));
        } else {
            for (const Remark& remark : prepared.remarks)
                if (remark.severity == Severity::refusal) reasons.push_back(remark.text);
        }
        setup.plan = std::move(prepared.plan);
    }
    if (!reasons.empty()) throw Refusal(std::move(reasons));
    return setup;
}

Report run_with_progress(RunSetup& setup, const LessonOptions& options, std::size_t n, lab::Request request) {
    const std::vector<std::string>& variants = options.variants;
    request.id = n + 1;
    request.experiment = setup.experiments[n];
    request.deadline_seconds = options.deadline_seconds;
    if (!setup.device) return make_unstarted_report(request, setup.no_device_reason);

    constexpr double min_seconds_shown = 2;  // seconds
    const std::string label = row_label(request.experiment);
    const std::string name =
        variants.size() == 1 ? label : fmt::format("{} of {}, {}", n + 1, variants.size(), label);
    ProgressLine line;
    line.show(std::nullopt, name + " …");
    const auto start = std::chrono::steady_clock::now();
    const auto tick = [&] {
        const auto progress = setup.client->progress();
        const double seconds = seconds_since(start);
        if (progress && progress->slices > 1)
            line.show(progress->slices_done, progress->slices,
                      fmt::format("{}: slice {} of {}, {}", name, format_count(progress->slices_done),
                                  format_count(progress->slices), format_time_left(progress->seconds_left)));
        else if (seconds > min_seconds_shown)
            line.show(std::nullopt,
                      fmt::format("{}: {} elapsed, Ctrl-C stops it", name, format_duration(seconds)));
        return is_interrupted();
    };
    return lab::run_and_wait(*setup.client, std::move(request), tick);
}

std::string row_label(const Experiment& experiment) {
    return has_programs(experiment) && experiment.kernel ? experiment.kernel->name : experiment.variant;
}

void print_message(const Report& report) {
    print_diagnostics(report.diagnostics);
    const std::string name = row_label(report.experiment);
    // A lesson of text has kernels that are compiled like the user's.
    const std::string source = report.kernel_name().empty() && report.has_errors()
                                   ? report.diagnostics.front().file
                                   : report.kernel_name();
    if (report.has_errors())
        print_status("{}{} {}.", name == source ? "" : name + ": ", source,
                     find_lesson(report.experiment)->user_source().failure_verb);
    else if (!report.message.empty())
        print_status("{}: {}", name, report.message);
}

void RunRemarks::add(const Report& report) {
    ++runs_;
    if (report.status == Status::refused || report.has_errors()) return;  // nothing ran
    for (Remark& remark : result_remarks(report)) {
        if (remark.severity == Severity::refusal) continue;  // the message says it
        auto known = std::ranges::find(all_, remark, &Entry::remark);
        if (known == all_.end()) known = all_.insert(known, {std::move(remark), {}});
        known->rows.push_back(row_label(report.experiment));
    }
}

void RunRemarks::print() const {
    flush_stdout();
    if (stdout_has_failed()) return;
    for (const auto& [remark, rows] : all_)
        print_status("{}: {}", runs_ > 1 && rows.size() == runs_ ? "all" : join(rows, ", "),
                     describe_remark(remark));
}

void print_heading(const Report& report) {
    const Experiment& experiment = report.experiment;
    std::string heading = fmt::format("{} · {}", experiment.lesson,
                                      describe_device(report.device.device_name, report.device.is_cpu));
    if (!has_programs(experiment)) heading += " · " + counted(domain_extent(experiment).product(), "element");
    if (const UserData& input = experiment.input; !input.name.empty())
        heading += fmt::format(" of {} (CRC-32 {})", input.name, input.checksum);
    print("{}\n", heading);
}

int exit_code_for(const Report& report) {
    switch (report.status) {
        case Status::ok:
        case Status::wrong_on_purpose:  // as requested
            return exit_success;
        case Status::mismatch:
        case Status::unwritten:
        case Status::unjudged:
            return exit_mismatch;
        case Status::refused:
            return exit_usage;
        default:
            return exit_lab_lost;
    }
}

}  // namespace gridstride::app

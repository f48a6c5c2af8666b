#include "one_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/elapsed.h"
#include "base/error.h"
#include "base/units.h"
#include "lesson/kernel_file.h"
#include "lesson/user_data.h"
#include "present/verdict_words.h"
#include "progress_line.h"
#include "session/session_words.h"
#include "shader/compiler.h"
#include "standard_output.h"
#include "sweep/sweep_values.h"

namespace gridstride::app {

namespace {

/// Every flag read, or every complaint about them at once.
/// device: null where it is not known.
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

/// The report of a run that never had a device.
Report not_begun(const lab::Request& request, const std::string& why) {
    Report report = lab::begin_report(request, Limits{});
    report.status = interrupted() ? Status::stopped : Status::timed_out;
    report.message = why;
    return report;
}

}  // namespace

ReadyToRun make_ready(const LessonOptions& options, const OwnFiles& own) {
    ReadyToRun ready;
    Experiment& experiment = ready.experiment;
    experiment = default_experiment(*options.lesson);
    experiment.variant = options.variants.front();
    if (!own.kernel.empty()) experiment.kernel = read_kernel(own.kernel);
    if (!own.input.empty()) experiment.input = read_user_data(own.input, *options.lesson);
    interrupted();
    ready.client = lab::start_lab({.device = options.device});
    try {
        ready.device = &lab::limits_in_time(*ready.client, options.deadline_seconds, interrupted);
    } catch (const lab::NotReady& not_ready) {
        ready.why_no_device = not_ready.what();
    }
    std::vector<std::string> reasons;
    experiment.values = read_values(options, ready.device, reasons);
    if (ready.device) {
        Prepared prepared = prepare(*options.lesson, experiment, *ready.device);
        for (const Remark& remark : prepared.remarks)
            if (remark.severity == Severity::refusal) reasons.push_back(remark.text);
        ready.plan = std::move(prepared.plan);
    }
    if (!reasons.empty()) throw Refusal(std::move(reasons));
    return ready;
}

Report run_watched(ReadyToRun& ready, const LessonOptions& options, std::size_t n, lab::Request request) {
    const std::vector<std::string>& variants = options.variants;
    request.id = n + 1;
    request.experiment = ready.experiment;
    request.experiment.variant = variants[n];
    request.deadline_seconds = options.deadline_seconds;
    if (!ready.device) return not_begun(request, ready.why_no_device);

    constexpr double worth_saying = 2;  // seconds
    const std::string name =
        variants.size() == 1 ? variants[n] : fmt::format("{} of {}, {}", n + 1, variants.size(), variants[n]);
    ProgressLine line;
    line.show(std::nullopt, name + " …");
    const auto start = std::chrono::steady_clock::now();
    const auto tick = [&] {
        const auto progress = ready.client->progress();
        const double seconds = seconds_since(start);
        if (progress && progress->slices > 1)
            line.show(static_cast<double>(progress->slices_done) / static_cast<double>(progress->slices),
                      name + ": " + slices_in_words(progress, true));
        else if (seconds > worth_saying)
            line.show(std::nullopt,
                      fmt::format("{}: {} so far, Ctrl-C stops it", name, duration_in_words(seconds)));
        return interrupted();
    };
    return lab::run_to_end(*ready.client, std::move(request), tick);
}

void print_remarks(const Report& report) {
    if (!report.diagnostics.empty())
        put_line(shader::CompileResult{.diagnostics = report.diagnostics}.text());
    const bool is_said = std::ranges::any_of(report.diagnostics, [](const Diagnostic& one) {
        return one.level == DiagnosticLevel::error && one.line > 0;
    });
    if (is_said)
        say("{}: {} does not compile.", report.experiment.variant, report.kernel_name());
    else if (!report.message.empty())
        say("{}: {}", report.experiment.variant, report.message);
    for (const std::string& note : report.notes)
        say("{}: {}", report.experiment.variant, note);
}

void print_heading(const Report& report) {
    print("{} · {} · {} elements{}\n", report.experiment.lesson,
          device_in_words(report.device.device_name, report.device.is_cpu),
          format_count(domain_of(report.experiment).product()),
          report.experiment.input.name.empty()
              ? ""
              : fmt::format(" of {} (CRC-32 {})", report.experiment.input.name,
                            report.experiment.input.checksum));
}

int exit_code_of(const Report& report) {
    switch (report.status) {
        case Status::ok:
        case Status::wrong_on_purpose:  // it was asked for
            return exit_fine;
        case Status::mismatch:
            return exit_mismatch;
        case Status::refused:
            return exit_usage;
        default:
            return exit_lab_lost;
    }
}

}  // namespace gridstride::app

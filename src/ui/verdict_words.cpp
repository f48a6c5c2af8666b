#include "ui/verdict_words.h"

#include <fmt/format.h>

#include "base/units.h"
#include "ui/session.h"

namespace gridstride::ui {

namespace {

/// Shorter waits end before their words are read.
constexpr double worth_words_seconds = 1;

/// In steps that a person can wait by.
std::string time_left(double seconds) {
    if (seconds < 1) return "less than 1 s left";
    if (seconds < 90) return fmt::format("about {:.0f} s left", seconds);
    return fmt::format("about {:.0f} min left", seconds / 60);
}

std::string right_in_words(const Report& report) {
    std::string text =
        report.compare.max_abs_error == 0 ? "✓ equal to the CPU reference" : "✓ right within its tolerance";
    for (const Fact& fact : report.result) {
        if (const auto* count = std::get_if<std::uint64_t>(&fact.value))
            return fmt::format("{} · {} {}", text, fact.id, format_count(*count));
        if (const auto* real = std::get_if<double>(&fact.value))
            return fmt::format("{} · {} {}", text, fact.id, format_significant(*real, 7));
    }
    return text;
}

}  // namespace

Verdict verdict_of(const Session& session) {
    const Report* report = session.report();
    if (!session.no_device().empty()) return {"✗ no device", Ink::wrong};
    if (!session.valid()) return {"✗ cannot run: see the bench", Ink::wrong};
    if (!report) return {session.in_flight() ? "running …" : "not run yet", Ink::quiet};
    switch (report->status) {
        case Status::ok:
            return {right_in_words(*report), Ink::right};
        case Status::wrong_on_purpose:
            return {
                fmt::format("! wrong on purpose in {} of {} runs", format_count(report->compare.wrong_runs),
                            format_count(report->compare.judged_runs)),
                Ink::caution};
        case Status::mismatch:
            return {fmt::format("✗ wrong in {} of {} runs", format_count(report->compare.wrong_runs),
                                format_count(report->compare.judged_runs)),
                    Ink::wrong};
        case Status::failed:
            return {"✗ the run failed", Ink::wrong};
        case Status::timed_out:
            return {"✗ past its deadline", Ink::wrong};
        case Status::stopped:
            return {"✗ stopped", Ink::wrong};
        case Status::refused:
            return {"✗ refused", Ink::wrong};
        case Status::lost:
            return {"✗ the lab was lost and started again", Ink::wrong};
    }
    return {};
}

Ink ink_of(Status status) {
    return status == Status::ok ? Ink::right : status == Status::wrong_on_purpose ? Ink::caution : Ink::wrong;
}

std::string verdict_word(const Report& report) {
    switch (report.status) {
        case Status::ok:
            return report.compare.max_abs_error == 0 ? "✓ equal" : "✓ right";
        case Status::wrong_on_purpose:
            return "! on purpose";
        case Status::mismatch:
            return "✗ wrong";
        case Status::failed:
            return "✗ failed";
        case Status::timed_out:
            return "✗ deadline";
        case Status::stopped:
            return "✗ stopped";
        case Status::refused:
            return "✗ refused";
        case Status::lost:
            return "✗ lost";
    }
    return "";
}

std::string message_in_words(const Report& report) {
    if (report.message.empty()) return {};
    if (report.status == Status::stopped) return report.message + " F5 runs it again.";
    if (report.status == Status::lost)
        return report.message + " Change the kernel or the bench, or press F5 to try the same again.";
    return report.message;
}

std::string why_no_times(const Report* report) {
    if (!report) return "Run once to see where the time goes.";
    switch (report->status) {
        case Status::timed_out:
            return "No times: the run reached its deadline before its first sample. Result says what to do.";
        case Status::stopped:
            return "No times: the run was stopped before its first sample. F5 runs it again.";
        case Status::lost:
            return "No times: the lab was lost during the run. Result says what to do.";
        case Status::refused:
            return "No times: the run was refused. Result says why.";
        case Status::failed:
            return "No times: the run failed. Result says why.";
        case Status::ok:
        case Status::wrong_on_purpose:
        case Status::mismatch:
            break;
    }
    return "This run has no times.";
}

std::string slices_in_words(const std::optional<lab::Progress>& progress, bool with_time_left) {
    if (!progress || progress->slices < 2) return {};
    const std::string slices =
        fmt::format("slice {} of {}", format_count(progress->slices_done), format_count(progress->slices));
    return with_time_left ? fmt::format("{}, {}", slices, time_left(progress->seconds_left)) : slices;
}

std::string waiting_in_words(std::optional<double> seconds, bool compiling) {
    const std::string words = waiting_in_few_words(seconds);
    return words.empty() ? words
                         : fmt::format("{} for {}", compiling ? "compiling or running" : "running", words);
}

std::string waiting_in_few_words(std::optional<double> seconds) {
    if (!seconds || *seconds < worth_words_seconds) return {};
    // Rounded down: a person counts the seconds that are over.
    return fmt::format("{} s · Escape stops it", format_count(static_cast<std::uint64_t>(*seconds)));
}

}  // namespace gridstride::ui

#include "session/session_words.h"

#include <fmt/format.h>

#include "base/units.h"
#include "session/session.h"

namespace gridstride {

namespace {

/// Shorter waits end before their words are read.
constexpr double worth_words_seconds = 1;

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

std::string slices_in_words(const std::optional<lab::Progress>& progress, bool with_time_left) {
    if (!progress || progress->slices < 2) return {};
    const std::string slices =
        fmt::format("slice {} of {}", format_count(progress->slices_done), format_count(progress->slices));
    return with_time_left ? fmt::format("{}, {}", slices, time_left_in_words(progress->seconds_left))
                          : slices;
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

}  // namespace gridstride

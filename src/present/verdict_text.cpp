#include "present/verdict_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "base/language.h"
#include "base/units.h"
#include "lesson/comparison_text.h"
#include "lesson/lesson.h"
#include "present/report_csv.h"

namespace gridstride {

namespace {

constexpr const char* no_times = tr_later("This run has no times.");

struct StatusText {
    const char* word;             ///< in a row of a table
    const char* verdict;          ///< above the result
    const char* no_times_reason;  ///< shown in place of the times
};
constexpr StatusText status_words[] = {
    {tr_later("right"), tr_later("right within its tolerance"), no_times},
    {tr_later("on purpose"), tr_later("wrong on purpose"), no_times},
    {tr_later("wrong"), tr_later("wrong"), no_times},
    {tr_later("unwritten"), tr_later("results were never written"), no_times},
    {tr_later("not judged"), tr_later("not judged"), no_times},
    {tr_later("failed"), tr_later("the run failed"),
     tr_later("No times: the run failed. The message in place of the picture says why.")},
    {tr_later("deadline"), tr_later("past its deadline"),
     tr_later("No times: the run reached its deadline before its first sample. The message in place of the "
              "picture "
              "says what to do.")},
    {tr_later("stopped"), tr_later("stopped"),
     tr_later("No times: the run was stopped before its first sample. F5 runs it again.")},
    {tr_later("refused"), tr_later("refused"),
     tr_later("No times: the run was refused. The message in place of the picture says why.")},
    {tr_later("lost"), tr_later("the lab was lost and restarted"),
     tr_later(
         "No times: the lab was lost during the run. The message in place of the picture says what to do.")}};
static_assert(std::size(status_words) == static_cast<std::size_t>(last_enumerator(Status())) + 1);

const StatusText& status_text(Status status) {
    return status_words[static_cast<std::size_t>(status)];
}

bool is_equal(const Report& report) {
    return report.status == Status::ok && report.compare.max_abs_error == 0;
}

bool is_unjudged(const Report& report) {
    return report.status == Status::unjudged ||
           (report.status == Status::ok && report.compare.outputs_without_reference > 0);
}

/// A variant that is wrong on purpose, such as a race, had the right result. The next run may fail.
bool is_right_by_luck(const Report& report) {
    const Lesson* const lesson = find_lesson(report.experiment);
    return report.status == Status::ok && lesson && is_wrong_on_purpose(*lesson, report.experiment);
}

/// Lowercases "Largest of y" to "largest of y", but leaves "CPU time".
std::string lowercase_first_word(std::string label) {
    const bool is_word = label.size() > 1 && label[1] >= 'a' && label[1] <= 'z';
    if (is_word && label[0] >= 'A' && label[0] <= 'Z') label[0] = static_cast<char>(label[0] - 'A' + 'a');
    return label;
}

}  // namespace

ColorRole report_color(const Report& report) {
    if (is_unjudged(report) || report.status == Status::wrong_on_purpose) return ColorRole::caution;
    return report.status == Status::ok ? ColorRole::right : ColorRole::wrong;
}

std::string with_mark(ColorRole color_role, std::string_view text) {
    const char* const mark = color_role == ColorRole::right     ? "✓ "
                             : color_role == ColorRole::wrong   ? "✗ "
                             : color_role == ColorRole::caution ? "! "
                                                                : "";
    return std::string(mark).append(text);
}

std::string verdict_word(const Report& report) {
    return with_mark(report_color(report), is_unjudged(report) ? tr("not judged")
                                           : is_equal(report)  ? tr("equal")
                                                               : tr(status_text(report.status).word));
}

std::string verdict_without_mark(const Report& report) {
    if (is_unjudged(report))
        return counted(report.compare.outputs_without_reference, "result", "results") +
               (report.status == Status::unjudged ? tr(" not judged here") : tr(" not judged"));
    const std::string text =
        is_equal(report) ? tr("equal to the CPU reference") : tr(status_text(report.status).verdict);
    if (report.compare.wrong_runs > 0 && report.is_measured())
        return tr("{} in {} of {} runs", text, format_count(report.compare.wrong_runs),
                  format_count(report.compare.judged_runs));
    return is_right_by_luck(report) ? text + tr(", by luck") : text;
}

std::string describe_verdict(const Report& report) {
    return with_mark(report_color(report), verdict_without_mark(report));
}

std::string describe_errors(const Report& report) {
    const Comparison& compare = report.compare;
    if (!report.is_measured() || !(compare.allowed_abs_error > 0) || !std::isfinite(compare.max_abs_error))
        return {};
    return tr("largest error {}, allowed {} {}",
              format_error(compare.max_abs_error, compare.allowed_abs_error),
              compare.first_mismatch ? tr("at the first wrong number") : tr("there"),
              format_error(compare.allowed_abs_error, compare.max_abs_error));
}

std::string describe_answer(const Report& report) {
    if (report.status != Status::ok) return {};
    for (const Fact& fact : report.result) {
        const std::string name = lowercase_first_word(fact.label);
        if (const auto* count = std::get_if<std::uint64_t>(&fact.value))
            return fmt::format("{}: {}", name, format_count(*count));
        if (const auto* real = std::get_if<double>(&fact.value))
            return fmt::format("{}: {}", name, format_significant(*real, 7));
    }
    return {};
}

std::string describe_device(const std::string& name, bool is_cpu) {
    return is_cpu ? tr("{} (software device)", name) : name;
}

std::string describe_parameters(const Report& report) {
    std::string words;
    const auto add = [&words](const std::string& name, const std::string& value) {
        words += (words.empty() ? "" : ", ") + name + " " + value;
    };
    const Experiment& experiment = report.experiment;
    const Lesson* lesson = find_lesson(experiment);
    const auto parameters = lesson ? parameters_without_column(*lesson) : std::vector<const Parameter*>{};
    // The seed comes last, because every lesson has one.
    for (const bool seed : {false, true}) {
        for (const Parameter* parameter : parameters) {
            if ((parameter->id == key::seed.id) != seed || !experiment.values.contains(parameter->id))
                continue;
            const Value& value = experiment.values.at(parameter->id);
            if (value != parameter->default_value) add(parameter->id, format(*parameter, value));
        }
    }
    const UserData& input = experiment.input;
    if (!input.name.empty()) add("input", input.name.substr(input.name.find_last_of('/') + 1));
    // Two files may have the same name.
    if (!input.checksum.empty()) words += fmt::format(" ({})", input.checksum);
    return words;
}

std::string describe_time(const Summary& times) {
    std::string text = format_time(times.median).text();
    if (times.count > 1) text += " ± " + format_time(times.median_error).text();
    return text;
}

std::string microseconds(const Timing& timing) {
    return timing.samples.empty() ? "–" : format_significant(timing.summary().median / 1e3);
}

std::string describe_message(const Report& report) {
    if (report.message.empty()) return {};
    if (report.status == Status::stopped) return report.message + tr(" F5 runs it again.");
    if (report.status == Status::lost)
        return report.message + tr(" Change the kernel or the settings, or press F5 to run the same again.");
    return report.message;
}

namespace {

Quantity format_ceiling(double value, CeilingMember::Unit unit) {
    switch (unit) {
        case CeilingMember::Unit::bytes_per_second:
            return format_bandwidth(value);
        case CeilingMember::Unit::ns:
            return format_time(value);
        case CeilingMember::Unit::operations_per_second:
            return {format_significant(value / 1e9), "Gop/s"};
        case CeilingMember::Unit::per_second:
            break;
    }
    return value < 1e9 ? Quantity{format_significant(value / 1e6), "M/s"}
                       : Quantity{format_significant(value / 1e9), "G/s"};
}

}  // namespace

std::vector<std::pair<std::string, Quantity>> ceiling_rows(const Ceilings& ceilings) {
    std::vector<std::pair<std::string, Quantity>> rows;
    for (const CeilingMember& member : ceiling_members)
        if (const double value = ceilings.*member.value; value > 0)
            rows.emplace_back(tr(member.label), format_ceiling(value, member.unit));
    for (const LoadLatency& latency : ceilings.latencies)
        rows.emplace_back(tr("load from {}", format_bytes(latency.footprint_bytes).text()),
                          format_time(latency.ns));
    return rows;
}

std::string no_times_reason(const Report* report) {
    return report ? tr(status_text(report->status).no_times_reason)
                  : tr("Run once to see where the time goes.");
}

}  // namespace gridstride

#include "story/feedback.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "lesson/metrics.h"
#include "lesson/nouns.h"
#include "lesson/trace_metrics.h"

namespace gridstride {

namespace {

std::optional<Estimate> measured(const RunMetric& metric, const std::vector<const Report*>& reports) {
    if (metric.run == 0 || metric.run > reports.size() || !reports[metric.run - 1]) return std::nullopt;
    const Report& report = *reports[metric.run - 1];
    // A wrong answer is a result too (for example with a missing barrier); a failed run has none.
    if (!report.is_measured()) return std::nullopt;
    return estimate(report, metric.metric);
}

bool is_time(const RunMetric& metric) {
    return metric.metric.ends_with("_ns");
}
bool is_part(std::string_view metric) {
    return metric.starts_with("fraction_of_") || metric == "wrong_fraction" ||
           metric.starts_with("active_share");
}

/// Below this ratio two times count as equal: it rounds to 1.0 in two digits.
constexpr double max_equal_ratio = 1.05;

std::string describe_ratio(double quotient, int digits, std::string_view equal, std::string_view more,
                           std::string_view less) {
    if (!(quotient > 0)) return format_significant(quotient);
    const double factor = std::max(quotient, 1 / quotient);
    if (factor < max_equal_ratio) return std::string(equal);
    return fmt::format("{} {}", format_significant(factor, digits), quotient > 1 ? more : less);
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

bool has_one_value(const PredictBlock& predict) {
    return predict.guess || !predict.choices.empty();
}
std::size_t numbered_values(const PredictBlock& predict) {
    return std::max(predict.items.size(), predict.marks.size());
}
const Quotient& numbered_value(const PredictBlock& predict, std::size_t i) {
    return predict.items.empty() ? predict.marks[i].value : predict.items[i].value;
}
/// If records are missing, the number is a lower bound.
std::string describe_metric(const Quotient& what, const Estimate& value) {
    const bool more = is_trace_metric(what.value.metric) && !what.divided_by && std::isinf(value.high);
    return (more ? tr("at least ") : "") + gridstride::describe_metric(what, value.value);
}
std::string placeholder_text(std::size_t number) {
    return fmt::format("{{{}}}", number);
}

}  // namespace

std::optional<Estimate> measured(const Quotient& what, const std::vector<const Report*>& reports) {
    auto found = measured(what.value, reports);
    if (found && what.divided_by) {
        const auto divisor = measured(*what.divided_by, reports);
        found = divisor ? divide(*found, *divisor) : std::nullopt;
    }
    return found && std::isfinite(found->value) ? found : std::nullopt;
}

bool is_time_ratio(const Quotient& what) {
    return what.divided_by && is_time(what.value) && is_time(*what.divided_by);
}

namespace {

/// Returns true for the same time of two runs, and for a time in comparison with the CPU's.
bool compares_speeds(const Quotient& what) {
    return is_time_ratio(what) &&
           (what.value.metric == what.divided_by->metric || what.divided_by->metric == "cpu_ns");
}

}  // namespace

std::string describe_speed_ratio(double times_as_long, int digits) {
    return describe_ratio(times_as_long, digits, tr("equally fast"), tr("times as long"),
                          tr("times as fast"));
}

std::string describe_metric(const Quotient& what, double value, int digits) {
    const std::string_view metric = what.value.metric;
    if (compares_speeds(what)) return describe_speed_ratio(value, digits);
    if (is_time_ratio(what)) return tr("{} times as long", format_significant(value, digits));
    // Also for the time per launch, a time divided by a count.
    if (is_time(what.value)) return format_time(value).text();
    if (!what.divided_by) {
        if (metric.ends_with("bytes_per_second")) return format_bandwidth(value).text();
        if (is_part(metric)) return format_percent(value).text();
    }
    if (value == std::floor(value) && value >= 0 && value < 1e15)
        return format_count(static_cast<std::uint64_t>(value));
    return format_significant(value);
}

std::string describe_mark(const Quotient& what, double value, int digits) {
    const bool is_factor = what.divided_by && (!is_time(what.value) || is_time_ratio(what));
    return is_factor ? format_significant(value, digits) + "\u00a0×" : describe_metric(what, value, digits);
}

std::string_view metric_origin(const Quotient& what) {
    const bool is_traced =
        is_trace_metric(what.value.metric) || (what.divided_by && is_trace_metric(what.divided_by->metric));
    return is_traced ? tr("traced") : tr("measured");
}

std::string describe_moment(const InsideBlock& block) {
    std::string words = tr("workgroup {}, line {}", format_count(block.workgroup),
                           trace::source_line_text(block.kernel_line));
    if (block.step > 1) words += tr(", step {}", block.step);
    return words;
}

bool measures_time(const Quotient& what) {
    const auto is_measured = [](const RunMetric& metric) {
        return is_time(metric) || metric.metric == "bytes_per_second" ||
               metric.metric.starts_with("fraction_of_");
    };
    return is_measured(what.value) || (what.divided_by && is_measured(*what.divided_by));
}

bool measures_time(const PredictBlock& predict) {
    bool found = false;
    for_each_deciding_quotient(predict,
                               [&](const Quotient& quotient) { found = found || measures_time(quotient); });
    return found;
}

namespace {

/// Returns "sectors_per_request(34)" as "sectors per request(34)".
std::string label_metric(std::string_view metric) {
    std::string label(metric);
    std::ranges::replace(label, '_', ' ');
    return label;
}

/// The answer of a label that gives a reason: "one for each lane" of "one for each lane: no two share a
/// sector".
std::string answer_of_label(const std::string& label) {
    // A colon within a number, a ratio or a name is followed by no space.
    std::string answer;
    for (const Span& span : parse_inline(trim(std::string_view(label).substr(0, label.find(": ")))))
        answer += span.text;
    return answer;
}

/// Adds what was counted to a number that has no unit: "10 (barriers)". For a quotient of counts and for a
/// metric of one line, the choice says it better: "one for each lane".
std::string value_with_unit(const PredictBlock& predict, const Estimate& value) {
    std::string words = describe_metric(predict.value, value.value);
    if (predict.guess && !predict.guess->unit.empty()) return with_unit(words, predict.guess->unit);
    if (words.find_first_not_of("0123456789.e-\u2009") != std::string::npos) return words;
    const auto choice = choice_for_interval(predict.choices, value);
    if (choice && *choice < predict.choices.size() &&
        (predict.value.divided_by || predict.value.value.metric.ends_with(')')))
        return answer_of_label(predict.choices[*choice].label);
    const auto& divisor = predict.value.divided_by;
    if (divisor && divisor->metric == predict.value.value.metric)
        return describe_mark(predict.value, value.value);
    words += " (" + label_metric(predict.value.value.metric);
    if (divisor) words += " / " + label_metric(divisor->metric);
    return words + ")";
}

}  // namespace

std::string describe_values(const PredictBlock& predict, const std::vector<Estimate>& values) {
    if (has_one_value(predict)) return value_with_unit(predict, values.front());
    std::vector<std::string> parts;
    const auto add = [&](const auto& all) {
        for (std::size_t i = 0; i < all.size(); ++i)
            parts.push_back(
                fmt::format("{}: {}", all[i].label, describe_mark(all[i].value, values[i].value)));
    };
    add(predict.items);
    add(predict.marks);
    return join(parts, "; ");
}

std::string describe_software_device(const PredictBlock& predict, const std::vector<Estimate>& values) {
    const Quotient& what = predict.value;
    // The picture and `after:` show them.
    if (!predict.items.empty()) return tr("This software device measured another order.");
    if (!predict.marks.empty()) return tr("This software device measured other values.");
    if (compares_speeds(what)) return fill_placeholders(tr("This software device {pace}."), predict, values);
    const bool is_duration = is_time(what.value) && (!what.divided_by || is_time_ratio(what));
    return tr("This software device {} {}.", is_duration ? tr("took") : tr("measured"),
              describe_values(predict, values));
}

std::string describe_result(const Outcome& outcome) {
    const bool right = outcome.result == Outcome::Result::right;
    if (outcome.result == Outcome::Result::undecided) return tr("Too close to call");
    if (outcome.judged_by) return right ? tr("Right on a GPU") : tr("Wrong on a GPU");
    return right ? tr("As you predicted") : tr("Not as you predicted");
}

std::string describe_result(const PredictBlock& predict, const Outcome& outcome) {
    std::string result = describe_result(outcome);
    // Several values have no room here; those recorded on other devices are shown anyway.
    if (!outcome.judged_by || !has_one_value(predict)) return result;
    return tr("{} (recorded: {}, {})", result, outcome.judged_by->device,
              describe_values(predict, outcome.judged_by->values));
}

std::string describe_causes(const Feedback& feedback, const std::vector<const Report*>& reports) {
    std::vector<std::string> holding;
    for (const Cause& cause : feedback.causes) {
        const auto found = measured(cause.what, reports);
        if (found && (cause.is_above ? found->low > cause.bound : found->high < cause.bound))
            holding.push_back(cause.sentence);
    }
    return holding.empty() ? feedback.neutral : join_sentences(holding);
}

std::string join_sentences(const std::vector<std::string>& sentences) {
    std::string line;
    for (const std::string& sentence : sentences) {
        if (!line.empty() && !sentence.empty()) line += ' ';
        line += sentence;
    }
    return line;
}

std::string fill_placeholders(std::string text, const PredictBlock& predict,
                              const std::vector<Estimate>& values) {
    if (has_one_value(predict)) {
        const double value = values.front().value;
        replace_all(text, "{value}", describe_metric(predict.value, values.front()));
        replace_all(text, "{change}", format_percent(std::abs(value - 1)).text());
        const bool is_longer = value >= max_equal_ratio;
        replace_all(text, "{pace}", (is_longer ? tr("took ") : tr("ran ")) + describe_speed_ratio(value));
        return text;
    }
    for (std::size_t i = 0; i < values.size(); ++i)
        replace_all(text, placeholder_text(i + 1), describe_metric(numbered_value(predict, i), values[i]));
    return text;
}

std::vector<std::string> find_placeholder_errors(std::string_view text, const PredictBlock& predict) {
    const bool of_times = is_time_ratio(predict.value);
    std::vector<std::string> known;
    if (has_one_value(predict)) {
        known.emplace_back("{value}");
        if (predict.value.divided_by) known.emplace_back("{change}");
        if (of_times) known.emplace_back("{pace}");
    }
    for (std::size_t i = 0; i < numbered_values(predict); ++i)
        known.push_back(placeholder_text(i + 1));

    std::vector<std::string> errors;
    for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
        const std::size_t close = text.find('}', open);
        if (close == std::string_view::npos) break;
        const std::string_view name = text.substr(open, close - open + 1);
        const bool is_name = name.find_first_of(" ;=,(\\") == std::string_view::npos;
        if (is_name && std::find(known.begin(), known.end(), name) == known.end())
            errors.push_back(fmt::format("there is no number for {} in {}: use one of {}", name,
                                         quote_text(text), join(known, ", ")));
        const std::string_view behind = text.substr(close + 1);
        if (of_times && name == "{value}" && (behind.starts_with(" of ") || behind.starts_with(" times")))
            errors.push_back(
                fmt::format("{{value}} of two times reads {} here, which does not fit the words after it in "
                            "{}: write a sentence such as It was {{value}}.",
                            quote_text(describe_metric(predict.value, 0.5)), quote_text(text)));
    }
    return errors;
}

}  // namespace gridstride

#include "story/saying.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "lesson/metrics.h"
#include "lesson/recorded_metrics.h"

namespace gridstride {

namespace {

std::optional<Estimate> measured(const RunMetric& wanted, const std::vector<const Report*>& reports) {
    if (wanted.run == 0 || wanted.run > reports.size() || !reports[wanted.run - 1]) return std::nullopt;
    const Report& report = *reports[wanted.run - 1];
    // A wrong answer is a result too (for example with a missing barrier); a failed run has none.
    if (!report.measured()) return std::nullopt;
    return estimate(report, wanted.metric);
}

bool is_time(const RunMetric& metric) {
    return metric.metric.ends_with("_ns");
}
bool is_part(std::string_view metric) {
    return metric.starts_with("fraction_of_") || metric == "wrong_fraction" ||
           metric.starts_with("active_share");
}

/// Below this ratio two times count as equal: it rounds to 1.0 in two digits.
constexpr double equal_up_to = 1.05;

std::string compared(double quotient, int digits, std::string_view equal, std::string_view more,
                     std::string_view less) {
    if (!(quotient > 0)) return format_significant(quotient);
    const double factor = std::max(quotient, 1 / quotient);
    if (factor < equal_up_to) return std::string(equal);
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
std::string spoken(const Quotient& what, const Estimate& value) {
    const bool more = is_recorded_metric(what.value.metric) && !what.divided_by && std::isinf(value.high);
    return (more ? "at least " : "") + gridstride::spoken(what, value.value);
}
std::string braced(std::size_t number) {
    return fmt::format("{{{}}}", number);
}

}  // namespace

std::optional<Estimate> measured(const Quotient& what, const std::vector<const Report*>& reports) {
    auto found = measured(what.value, reports);
    if (found && what.divided_by) {
        const auto divisor = measured(*what.divided_by, reports);
        found = divisor ? quotient(*found, *divisor) : std::nullopt;
    }
    return found && std::isfinite(found->value) ? found : std::nullopt;
}

bool is_of_times(const Quotient& what) {
    return what.divided_by && is_time(what.value) && is_time(*what.divided_by);
}

std::string pace_in_words(double times_as_long, int digits) {
    return compared(times_as_long, digits, "equally fast", "times slower", "times faster");
}

std::string spoken(const Quotient& what, double value, int digits) {
    const std::string_view metric = what.value.metric;
    if (is_of_times(what))
        return metric == what.divided_by->metric
                   ? pace_in_words(value, digits)
                   : compared(value, digits, "equally long", "times as long", "times shorter");
    if (!what.divided_by) {
        if (is_time(what.value)) return format_time(value).text();
        if (metric.ends_with("bytes_per_second")) return format_bandwidth(value).text();
        if (is_part(metric)) return format_percent(value).text();
    }
    if (value == std::floor(value) && value >= 0 && value < 1e15)
        return format_count(static_cast<std::uint64_t>(value));
    return format_significant(value);
}

std::string_view how_known(const Quotient& what) {
    const bool recorded = is_recorded_metric(what.value.metric) ||
                          (what.divided_by && is_recorded_metric(what.divided_by->metric));
    return recorded ? "recorded" : "measured";
}

std::string moment_in_words(const InsideBlock& block) {
    std::string words = fmt::format("workgroup {}, line {}", format_count(block.workgroup),
                                    trace::text_of(block.kernel_line));
    if (block.step > 1) words += fmt::format(", step {}", block.step);
    return words;
}

std::string causes_in_words(const Saying& saying, const std::vector<const Report*>& reports) {
    std::vector<std::string> holding;
    for (const Because& cause : saying.causes) {
        const auto found = measured(cause.what, reports);
        if (found && (cause.above ? found->low > cause.bound : found->high < cause.bound))
            holding.push_back(cause.sentence);
    }
    return holding.empty() ? saying.neutral : in_one_line(holding);
}

std::string in_one_line(const std::vector<std::string>& sentences) {
    std::string line;
    for (const std::string& sentence : sentences) {
        if (!line.empty() && !sentence.empty()) line += ' ';
        line += sentence;
    }
    return line;
}

std::string with_values(std::string text, const PredictBlock& predict, const std::vector<Estimate>& values) {
    if (has_one_value(predict)) {
        const double value = values.front().value;
        replace_all(text, "{value}", spoken(predict.value, values.front()));
        replace_all(text, "{change}", format_percent(std::abs(value - 1)).text());
        replace_all(text, "{pace}", pace_in_words(value));
        return text;
    }
    for (std::size_t i = 0; i < values.size(); ++i)
        replace_all(text, braced(i + 1), spoken(numbered_value(predict, i), values[i]));
    return text;
}

std::vector<std::string> mistakes_of_values(std::string_view text, const PredictBlock& predict) {
    const bool of_times = is_of_times(predict.value);
    std::vector<std::string> known;
    if (has_one_value(predict)) {
        known.emplace_back("{value}");
        if (predict.value.divided_by) known.emplace_back("{change}");
        if (of_times) known.emplace_back("{pace}");
    }
    for (std::size_t i = 0; i < numbered_values(predict); ++i)
        known.push_back(braced(i + 1));

    std::vector<std::string> mistakes;
    for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
        const std::size_t close = text.find('}', open);
        if (close == std::string_view::npos) break;
        const std::string_view name = text.substr(open, close - open + 1);
        const bool is_name = name.find_first_of(" ;=,(\\") == std::string_view::npos;
        if (is_name && std::find(known.begin(), known.end(), name) == known.end())
            mistakes.push_back(fmt::format("there is no number for {} in {}: use one of {}", name,
                                           quoted_text(text), joined(known, ", ")));
        const std::string_view behind = text.substr(close + 1);
        if (of_times && name == "{value}" && (behind.starts_with(" of ") || behind.starts_with(" times")))
            mistakes.push_back(
                fmt::format("{{value}} of two times reads {} here, which does not fit the words after it in "
                            "{}: write a sentence such as It was {{value}}.",
                            quoted_text(spoken(predict.value, 0.5)), quoted_text(text)));
    }
    return mistakes;
}

}  // namespace gridstride


#include <cmath>

#include "base/units.h"
#include "story/story.h"

namespace gridstride {

namespace {

std::optional<double> measure(const RunMetric& wanted, const std::vector<const Report*>& reports) {
    if (wanted.run == 0 || wanted.run > reports.size() || !reports[wanted.run - 1]) return std::nullopt;
    const Report& report = *reports[wanted.run - 1];
    // A wrong answer is a result too (a missing barrier); a run that did not happen is none.
    if (!report.measured()) return std::nullopt;
    return metric(report, wanted.metric);
}

void replace_all(std::string& text, std::string_view from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

/// A count as it is, a time with its unit, anything else in three significant digits.
std::string spoken(const PredictBlock& predict, double value) {
    if (!predict.divided_by && predict.value.metric.ends_with("_ns")) return format_time(value).text();
    if (value == std::floor(value) && value >= 0 && value < 1e15)
        return format_count(static_cast<std::uint64_t>(value));
    return format_significant(value);
}

bool holds(const PredictChoice& choice, double value) {
    using When = PredictChoice::When;
    if (choice.when == When::otherwise) return true;
    return choice.when == When::below ? value < choice.bound : value == choice.bound;
}

}  // namespace

std::optional<Outcome> decide(const PredictBlock& predict, const std::vector<const Report*>& reports,
                              std::optional<double> guess) {
    const auto numerator = measure(predict.value, reports);
    if (!numerator) return std::nullopt;
    double value = *numerator;
    if (predict.divided_by) {
        const auto denominator = measure(*predict.divided_by, reports);
        if (!denominator || *denominator == 0) return std::nullopt;
        value /= *denominator;
    }
    if (!std::isfinite(value)) return std::nullopt;

    Outcome outcome;
    outcome.value = value;
    if (predict.guess) {
        const double allowed = predict.guess->within * std::abs(value);
        outcome.guess_right = guess && std::abs(*guess - value) <= allowed;
        outcome.afterwards = predict.guess->afterwards;
    } else {
        while (!holds(predict.choices[outcome.right_choice], value))
            ++outcome.right_choice;
        outcome.afterwards = predict.choices[outcome.right_choice].afterwards;
    }
    replace_all(outcome.afterwards, "{value}", spoken(predict, value));
    replace_all(outcome.afterwards, "{change}", format_percent(std::abs(value - 1)).text());
    return outcome;
}

}  // namespace gridstride

#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace gridstride {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

bool any_nan(std::span<const double> values) {
    return std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
}

std::vector<double> sorted(std::span<const double> values) {
    std::vector<double> copy(values.begin(), values.end());
    std::sort(copy.begin(), copy.end());
    return copy;
}

double quantile_of_sorted(std::span<const double> values, double q) {
    if (values.empty() || std::isnan(q)) return not_a_number;
    const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const double part = position - static_cast<double>(below);
    if (part == 0) return values[below];
    return std::lerp(values[below], values[below + 1], part);
}

struct Rank {
    std::size_t rank;
    double confidence;
};
/// Returns the largest rank r, from 1, for which the r-th smallest and r-th largest of n values enclose the
/// median with a probability of 95 % or more: P(Binomial(n, 1/2) < r) <= 2.5 %. Below 6 values there is none,
/// and the result is 1, the whole range.
Rank confidence_rank(std::size_t n) {
    double log_term = -static_cast<double>(n) * std::log(2.0);  // of P(Binomial = k)
    double below = std::exp(log_term);                          // P(Binomial < rank)
    std::size_t rank = 1;
    for (; 2 * rank < n; ++rank) {
        log_term += std::log(static_cast<double>(n - rank + 1) / static_cast<double>(rank));
        if (below + std::exp(log_term) > 0.025) break;
        below += std::exp(log_term);
    }
    return {rank, n < 2 ? 0 : 1 - 2 * below};
}

}  // namespace

double quantile(std::span<const double> values, double q) {
    if (any_nan(values)) return not_a_number;
    return quantile_of_sorted(sorted(values), q);
}

double median(std::span<const double> values) {
    return quantile(values, 0.5);
}

Summary summarize(std::span<const double> values) {
    if (values.empty() || any_nan(values))
        return {not_a_number, not_a_number, not_a_number, not_a_number, not_a_number, 0, 0, values.size()};
    const std::vector<double> ordered = sorted(values);
    const std::size_t n = ordered.size();
    const auto [rank, confidence] = confidence_rank(n);
    const double low = ordered[rank - 1], high = ordered[n - rank];
    return {quantile_of_sorted(ordered, 0.5),
            quantile_of_sorted(ordered, 0.05),
            quantile_of_sorted(ordered, 0.95),
            low,
            high,
            confidence,
            (high - low) / 2,
            n};
}

Summary scaled(Summary summary, double factor) {
    for (double* const time :
         {&summary.median, &summary.p5, &summary.p95, &summary.low, &summary.high, &summary.median_error})
        *time *= factor;
    return summary;
}

bool are_overlapping(const Summary& a, const Summary& b) {
    return a.low <= b.high && b.low <= a.high;
}

Ratio ratio(const Summary& b, const Summary& a) {
    return {b.median / a.median, b.low / a.high, b.high / a.low};
}

Summary combine_runs(std::span<const Summary> runs) {
    Summary all = runs.front();
    std::vector<double> medians{all.median};
    for (const Summary& run : runs.subspan(1)) {
        medians.push_back(run.median);
        all.p5 = std::min(all.p5, run.p5);
        all.p95 = std::max(all.p95, run.p95);
        all.low = std::min(all.low, run.low);
        all.high = std::max(all.high, run.high);
        all.confidence = std::min(all.confidence, run.confidence);
        all.count += run.count;
    }
    all.median = median(medians);
    if (runs.size() > 1) all.median_error = (all.high - all.low) / 2;
    return all;
}

double estimate_drift(std::span<const Summary> runs) {
    const auto [lowest, highest] = std::ranges::minmax_element(runs, {}, &Summary::median);
    return lowest->median > 0 ? highest->median / lowest->median : 1;
}

Summary widen_by_drift(Summary run, double drift) {
    run.low /= drift;
    run.high *= drift;
    return run;
}

}  // namespace gridstride

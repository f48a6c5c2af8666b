#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

/// The rank r, from 1, for which the r-th smallest and r-th largest of n values enclose the median of their
/// distribution with at least 95 % probability: the largest with P(Binomial(n, 1/2) < r) <= 2.5 %. Below 6
/// values there is none; then 1, the whole range, is the best that can be said.
std::size_t confidence_rank(std::size_t n) {
    double log_term = -static_cast<double>(n) * std::log(2.0);  // of P(Binomial = k)
    double below = 0;
    std::size_t k = 0;
    for (; 2 * k < n; ++k) {
        below += std::exp(log_term);
        if (below > 0.025) break;
        log_term += std::log(static_cast<double>(n - k) / static_cast<double>(k + 1));
    }
    return std::max<std::size_t>(k, 1);
}

/// P(Binomial(n, 1/2) < rank).
double probability_below(std::size_t n, std::size_t rank) {
    double log_term = -static_cast<double>(n) * std::log(2.0);
    double below = 0;
    for (std::size_t k = 0; k < rank; ++k) {
        below += std::exp(log_term);
        log_term += std::log(static_cast<double>(n - k) / static_cast<double>(k + 1));
    }
    return below;
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
        return {not_a_number, not_a_number, not_a_number, 0, values.size()};
    const std::vector<double> ordered = sorted(values);
    Summary summary{quantile_of_sorted(ordered, 0.5), quantile_of_sorted(ordered, 0.05),
                    quantile_of_sorted(ordered, 0.95), 0, ordered.size()};
    if (ordered.size() >= 2) {
        const std::size_t rank = confidence_rank(ordered.size());
        summary.median_error = (ordered[ordered.size() - rank] - ordered[rank - 1]) / 2;
    }
    return summary;
}

MedianInterval median_interval(std::span<const double> values) {
    if (values.empty() || any_nan(values))
        return {not_a_number, not_a_number, not_a_number, 0, values.size()};
    const std::vector<double> ordered = sorted(values);
    const std::size_t n = ordered.size();
    const std::size_t rank = confidence_rank(n);
    MedianInterval interval{quantile_of_sorted(ordered, 0.5), ordered[rank - 1], ordered[n - rank], 0, n};
    if (n >= 2) interval.confidence = 1 - 2 * probability_below(n, rank);
    return interval;
}

MedianInterval scaled(MedianInterval interval, double factor) {
    interval.median *= factor;
    interval.low *= factor;
    interval.high *= factor;
    return interval;
}

bool overlap(const MedianInterval& a, const MedianInterval& b) {
    return a.low <= b.high && b.low <= a.high;
}

Ratio ratio(const MedianInterval& b, const MedianInterval& a) {
    return {b.median / a.median, b.low / a.high, b.high / a.low};
}

}  // namespace gridstride

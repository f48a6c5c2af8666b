// Order statistics of a series of measurements.
#pragma once

#include <span>
#include <vector>

namespace gridstride {

/// The q-quantile (0 <= q <= 1) by linear interpolation between order statistics (Hyndman and Fan, "Sample
/// quantiles in statistical packages", 1996, type 7: what NumPy and spreadsheets use). NaN when empty.
double quantile(std::span<const double> values, double q);
double median(std::span<const double> values);

/// A series of measurements and what is said of it.
struct Summary {
    double median = 0;
    double p5 = 0;
    double p95 = 0;
    /// The half-width of the 95 % confidence interval of the median, from order statistics (binomial ranks;
    /// David and Nagaraja, "Order Statistics", section 7.1). 0 for fewer than 2 values.
    double median_error = 0;
    std::size_t count = 0;
};
Summary summarize(std::span<const double> values);

}  // namespace gridstride

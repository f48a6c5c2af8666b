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

/// A median with what is known of it: an interval between two order statistics that encloses the median of
/// the distribution with at least the stated probability, whatever the distribution (binomial ranks; David
/// and Nagaraja, "Order Statistics", section 7.1).
struct MedianInterval {
    double median = 0;
    double low = 0;
    double high = 0;
    double confidence = 0;  ///< at least 0.95 from 6 values on; 1 - 2^(1-n) below; 0 for fewer than 2
    std::size_t count = 0;
};
/// All NaN when empty, or when a value is NaN.
MedianInterval median_interval(std::span<const double> values);

/// Both medians times a positive factor, such as a unit's.
MedianInterval scaled(MedianInterval interval, double factor);

/// Whether the intervals have a point in common: then the medians cannot be told apart. False with NaN.
bool overlap(const MedianInterval& a, const MedianInterval& b);

/// How many times b is a. The bounds are the quotients of the intervals' far ends, so they enclose 1 exactly
/// when the intervals overlap. With independent series they hold with at least the product of the two
/// confidences, 0.90 for two of 0.95.
struct Ratio {
    double value = 0;
    double low = 0;
    double high = 0;
};
/// The values must be positive.
Ratio ratio(const MedianInterval& b, const MedianInterval& a);

}  // namespace gridstride

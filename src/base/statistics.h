// Order statistics of a series of measurements.
#pragma once

#include <cstddef>
#include <span>

namespace gridstride {

/// Returns the q-quantile (0 <= q <= 1) by linear interpolation between order statistics (Hyndman and Fan,
/// "Sample quantiles in statistical packages", 1996, type 7: NumPy's default). NaN if empty.
double quantile(std::span<const double> values, double q);
double median(std::span<const double> values);

/// Statistics of a series of measurements. All NaN if it is empty or contains NaN.
struct Summary {
    double median = 0;
    double p5 = 0;
    double p95 = 0;
    /// A distribution-free confidence interval of the median, between two order statistics (binomial ranks;
    /// David and Nagaraja, "Order Statistics", section 7.1). The confidence is at least 0.95 from 6 values
    /// on; 1 - 2^(1-n) below, for the whole range; 0 for fewer than 2.
    double low = 0;
    double high = 0;
    double confidence = 0;
    double median_error = 0;  ///< half the width of the interval; 0 for fewer than 2 values
    std::size_t count = 0;
};
Summary summarize(std::span<const double> values);

/// Multiplies all times by a positive factor, such as a unit's.
Summary scaled(Summary summary, double factor);

/// Returns whether the intervals overlap; then the medians cannot be told apart. False with NaN.
bool are_overlapping(const Summary& a, const Summary& b);

/// The quotient b / a. Its bounds are the quotients of opposite ends of the intervals, so that they enclose 1
/// if and only if the intervals overlap. For independent series they hold with at least the product of the
/// two confidences: 0.90 for two of 0.95.
struct Ratio {
    double value = 0;
    double low = 0;
    double high = 0;
};
/// All values must be positive.
Ratio ratio(const Summary& b, const Summary& a);

/// Combines runs of the same work with other work between them: the median of their medians, and the interval
/// that encloses all of theirs. Needs at least one run.
Summary combine_runs(std::span<const Summary> runs);

/// Estimates how far a machine drifts between runs of the same work, through clocks, temperature and other
/// load: the largest median over the smallest; 1 for a single run.
double estimate_drift(std::span<const Summary> runs);

/// Widens the interval of a single run by the drift factor.
Summary widen_by_drift(Summary run, double drift);

}  // namespace gridstride

// Order statistics of a series of measurements.
#pragma once

#include <cstddef>
#include <span>

namespace gridstride {

/// The q-quantile (0 <= q <= 1) by linear interpolation between order statistics (Hyndman and Fan, "Sample
/// quantiles in statistical packages", 1996, type 7: what NumPy and spreadsheets use). NaN when empty.
double quantile(std::span<const double> values, double q);
double median(std::span<const double> values);

/// A series of measurements and what is said of it. All NaN when it is empty, or when a value is NaN.
struct Summary {
    double median = 0;
    double p5 = 0;
    double p95 = 0;
    /// An interval between two order statistics that encloses the median of the distribution with at least
    /// this confidence, whatever the distribution (binomial ranks; David and Nagaraja, "Order Statistics",
    /// section 7.1): at least 0.95 from 6 values on; 1 - 2^(1-n) below, for the whole range; 0 for fewer
    /// than 2.
    double low = 0;
    double high = 0;
    double confidence = 0;
    double median_error = 0;  ///< half its width; 0 for fewer than 2 values
    std::size_t count = 0;
};
Summary summarize(std::span<const double> values);

/// All times times a positive factor, such as a unit's.
Summary scaled(Summary summary, double factor);

/// Whether the intervals have a point in common: then the medians cannot be told apart. False with NaN.
bool overlap(const Summary& a, const Summary& b);

/// How many times b is a. The bounds are the quotients of the intervals' far ends, so they enclose 1 exactly
/// when the intervals overlap. With independent series they hold with at least the product of the two
/// confidences, 0.90 for two of 0.95.
struct Ratio {
    double value = 0;
    double low = 0;
    double high = 0;
};
/// The values must be positive.
Ratio ratio(const Summary& b, const Summary& a);

/// Of runs of the same work with other work between them: the median of their medians, and the interval that
/// encloses all of theirs. At least one.
Summary over_runs(std::span<const Summary> runs);

/// How far a machine drifts between runs of the same work, by its clocks, its heat and its other work: the
/// largest of their medians over the smallest; 1 of a single run.
double drift_of(std::span<const Summary> runs);

/// Of a single run, with the interval that is left where the machine drifts by this factor.
Summary with_drift(Summary run, double drift);

}  // namespace gridstride

// From values to positions and words: scales, ranges, ticks and the unit in which an axis is read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lesson/plot.h"

namespace gridstride {

/// An interval of an axis. On a logarithmic axis these are logarithms to the base of ten.
struct Range {
    double low = 0;
    double high = 1;
    double length() const { return high - low; }
    bool operator==(const Range&) const = default;
};

/// Values beyond this size are treated as infinite: sums and differences of such overflow.
constexpr double largest_value = 1e300;

double to_axis(AxisScale scale, double value);  ///< NaN where the scale has no place for the value
double from_axis(AxisScale scale, double position);

/// Times in ns, rates in B/s and bytes (B, by powers of two) are shown in the unit of their size; all ticks
/// of an axis share one.
struct AxisUnit {
    double factor = 1;  ///< shown number = value / factor
    std::string name;
};
AxisUnit axis_unit(const Axis& axis, Range shown);

struct Tick {
    double position = 0;  ///< on the axis, after the logarithm
    std::string label;
};
/// The ticks inside `shown`. powers_of_two: a log axis whose data are powers of two is read in those.
std::vector<Tick> axis_ticks(const Axis& axis, Range shown, int wanted, bool powers_of_two = false);

/// A number on an axis whose ticks are `step` apart, written as its largest one is: as many decimals as tell
/// neighbours apart.
std::string tick_text(double value, double step, double largest = 0);
std::string axis_title(const Axis& axis, const AxisUnit& unit);  ///< "time, µs"

/// One value as it is read aloud, with its unit: "21.4 µs", "524 800", a category's name.
std::string value_text(const Axis& axis, double value);
/// The number alone, in the axis's unit: the label of a bar.
std::string short_value_text(const AxisUnit& unit, double value, int digits = 3);

/// A range that can be divided by: finite, ordered, and not empty.
Range widened(Range range, bool starts_at_zero);

/// Tick positions for [low, high]: 1, 2, 5 times a power of ten (P. Heckbert, "Nice numbers for graph
/// labels", Graphics Gems, 1990), about `wanted` of them; whole numbers only if asked.
std::vector<double> nice_ticks(double low, double high, int wanted, bool whole_numbers);
/// Powers of ten (and 2 and 5 between them when there is room) for a log axis over [low, high], low > 0.
std::vector<double> log_ticks(double low, double high, int wanted);
}  // namespace gridstride

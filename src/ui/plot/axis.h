// From values to positions and words: scales, ranges, ticks and the unit in which an axis is read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lesson/plot.h"

namespace gridstride::ui {

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

/// Times in ns and rates in B/s are shown in the unit of their size; all ticks of an axis share one.
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

/// A number on an axis whose ticks are `step` apart: as many decimals as tell neighbours apart.
std::string tick_text(double value, double step);
std::string axis_title(const Axis& axis, const AxisUnit& unit);  ///< "time, µs"

/// One value as it is read aloud, with its unit: "21.4 µs", "524 800", a category's name.
std::string value_text(const Axis& axis, double value);
/// The number alone, in the axis's unit: the label of a bar.
std::string short_value_text(const AxisUnit& unit, double value, int digits = 3);

/// A range that can be divided by: finite, ordered, and not empty.
Range widened(Range range, bool starts_at_zero);

}  // namespace gridstride::ui

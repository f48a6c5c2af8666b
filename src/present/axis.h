// Converts values to axis positions and labels: scales, ranges, ticks and display units.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lesson/plot.h"

namespace gridstride {

/// An interval of an axis. On a logarithmic axis, low and high are base-10 logarithms.
struct Range {
    double low = 0;
    double high = 1;
    double length() const { return high - low; }
    bool operator==(const Range&) const = default;
};

/// Values of a larger magnitude are treated as infinite, because their sums and differences overflow.
constexpr double max_axis_value = 1e300;

double to_axis(AxisScale scale, double value);  ///< NaN if the scale cannot show the value
double from_axis(AxisScale scale, double position);

/// The unit in which an axis is labelled. Times in ns, rates in B/s and bytes (B, by powers of two) are
/// scaled to a unit that fits their size; all ticks of an axis share it.
struct AxisUnit {
    double factor = 1;  ///< shown number = value / factor
    std::string name;
};
AxisUnit axis_unit(const Axis& axis, Range shown);

struct Tick {
    double position = 0;  ///< on the axis, after the logarithm
    std::string label;
};
/// Returns the ticks inside `shown`, about `target_count` of them. If are_powers_of_two is set, a logarithmic
/// axis has its ticks at powers of two.
std::vector<Tick> axis_ticks(const Axis& axis, Range shown, int target_count, bool are_powers_of_two = false);

/// Formats a number on an axis whose ticks are `step` apart, with enough decimals to distinguish neighbouring
/// ticks. `max_magnitude` is the largest on the axis; it decides on the SI prefix.
std::string tick_text(double value, double step, double max_magnitude = 0);
std::string axis_title(const Axis& axis, const AxisUnit& unit);  ///< "time, µs"

/// Formats one value with its unit: "21.4 µs", "524 800", or the name of a category.
std::string value_text(const Axis& axis, double value);
/// Formats the number in the axis's unit, without the unit's name: the label of a bar.
std::string short_value_text(const AxisUnit& unit, double value, int digits = 3);
/// The same with the name of the unit: "145 ms".
std::string unit_value_text(const AxisUnit& unit, double value, int digits = 3);

/// Widens a range until it is finite, ordered and not empty, so that dividing by its length is safe.
Range widen(Range range, bool starts_at_zero);

/// Returns about `target_count` tick positions in [low, high] at 1, 2 or 5 times a power of ten (P. Heckbert,
/// "Nice numbers for graph labels", Graphics Gems, 1990).
std::vector<double> nice_ticks(double low, double high, int target_count, bool whole_numbers);
/// Returns powers of ten, and 2 and 5 times them if there is room, for a log axis over [low, high], low > 0.
std::vector<double> log_ticks(double low, double high, int target_count);
}  // namespace gridstride

#include "present/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "base/units.h"

namespace gridstride {
namespace {

constexpr double no_position = std::numeric_limits<double>::quiet_NaN();
constexpr int max_ticks = 200;  // guards against ranges that rounding cannot divide

struct UnitLadder {
    std::string_view base;
    std::array<std::pair<double, std::string_view>, 5> steps;
};
constexpr std::array<UnitLadder, 3> unit_ladders = {{
    {"ns", {{{1, "ns"}, {1e3, "\u00b5s"}, {1e6, "ms"}, {1e9, "s"}, {1e9, "s"}}}},
    {"B/s", {{{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}}}},
    {"B", {{{1, "B"}, {0x1p10, "KiB"}, {0x1p20, "MiB"}, {0x1p30, "GiB"}, {0x1p40, "TiB"}}}},
}};

// Counts of tens of millions are too wide to be written in full beside an axis.
constexpr double max_unabbreviated = 1e7;

std::string large_text(double value, double step, double size) {
    const auto [factor, suffix] = size >= 1e12  ? std::pair{1e12, "T"}
                                  : size >= 1e9 ? std::pair{1e9, "G"}
                                                : std::pair{1e6, "M"};
    if (size >= 1e16) return format_significant(value);
    return tick_text(value / factor, step / factor) + "\u2009" + suffix;
}

/// A power of two and its prefix (IEC 80000-13): "16 Mi".
std::string power_of_two_text(double value) {
    const auto [factor, prefix] = value >= 0x1p40   ? std::pair{0x1p40, "Ti"}
                                  : value >= 0x1p30 ? std::pair{0x1p30, "Gi"}
                                                    : std::pair{0x1p20, "Mi"};
    return format_count(static_cast<std::uint64_t>(value / factor)) + "\u2009" + prefix;
}

double last_nonzero_place(double value) {
    double place = std::pow(10.0, std::floor(std::log10(value)));
    for (int digits = 1; digits < 6; ++digits, place /= 10)
        if (std::fabs(value / place - std::round(value / place)) < 1e-6) break;
    return place;
}

/// Formats a tick of a logarithmic axis. If one tick needs a prefix, all ticks from a million on have one, so
/// that neighbours use the same notation.
std::string log_tick_text(double value, double max_magnitude, bool are_powers_of_two) {
    const double min_prefixed = are_powers_of_two ? 0x1p20 : 1e6;
    const double step = last_nonzero_place(value);
    if (max_magnitude < max_unabbreviated || value < min_prefixed || value >= 1e15)
        return tick_text(value, step);
    return are_powers_of_two ? power_of_two_text(value) : large_text(value, step, value);
}

}  // namespace

double to_axis(AxisScale scale, double value) {
    if (!(std::fabs(value) <= max_axis_value)) return no_position;
    if (scale == AxisScale::linear) return value;
    return value > 0 ? std::log10(value) : no_position;
}

double from_axis(AxisScale scale, double position) {
    return scale == AxisScale::linear ? position : std::pow(10.0, position);
}

std::vector<double> nice_ticks(double low, double high, int target_count, bool whole_numbers) {
    if (!std::isfinite(low) || !std::isfinite(high)) return {};
    if (low > high) std::swap(low, high);
    // Halved first, because high - low overflows for the widest ranges of double.
    const double half_length = high / 2 - low / 2;
    if (!(half_length > 0)) return {low};
    const double raw = half_length / std::max(1, target_count) * 2;
    if (!std::isfinite(raw)) return {low, 0, high};
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    const double fraction = raw / power;
    double step = power * (fraction < 1.5 ? 1 : fraction < 3.5 ? 2 : fraction < 7.5 ? 5 : 10);
    if (whole_numbers) step = std::max(1.0, step);
    // A range of a few ulp has no ticks between its ends.
    if (!(step > 0) || low + step == low) return {low, high};
    std::vector<double> ticks;
    const double slack = step * 1e-9;
    double n = std::ceil((low - slack) / step);
    for (int i = 0; i < max_ticks; ++i, n += 1) {
        const double tick = n * step;
        if (tick > high + slack || !std::isfinite(tick)) break;
        ticks.push_back(tick == 0 ? 0.0 : tick);  // no minus zero
    }
    constexpr int enough = 20;
    if (ticks.size() < 2 && target_count < enough)
        return nice_ticks(low, high, std::max(1, target_count) + 1, whole_numbers);
    return ticks;
}

/// Returns ticks for bytes: multiples of a power of two (which may be 1/2, 1/4, …) in the display unit.
static std::vector<double> binary_ticks(double low, double high, int target_count) {
    const double step = std::exp2(std::ceil(std::log2((high - low) / std::max(1, target_count))));
    if (!(step > 0) || !std::isfinite(step)) return {low};
    std::vector<double> ticks;
    for (double n = std::ceil(low / step); n * step <= high && ticks.size() < max_ticks; n += 1)
        ticks.push_back(n * step == 0 ? 0.0 : n * step);
    return ticks;
}

/// Returns ticks within a decade, where even steps are easier to read. They are so few that the last two,
/// which are the nearest to each other on this axis, are as far apart as `target_count` ticks would be on
/// average.
static std::vector<double> linear_ticks_on_log_axis(double low, double high, int target_count) {
    std::vector<double> ticks;
    for (int count = target_count; count >= 2; --count) {
        ticks = nice_ticks(low, high, count, false);
        std::erase_if(ticks, [](double tick) { return tick <= 0; });
        if (ticks.size() < 3) break;
        const double nearest = std::log(ticks.back() / ticks[ticks.size() - 2]);
        if (nearest * target_count >= std::log(high / low)) break;
    }
    return ticks;
}

/// Returns the distance of ticks that have the same distance from each other, else 0.
static double even_step(const std::vector<double>& ticks) {
    if (ticks.size() < 3) return 0;
    const double step = ticks[1] - ticks[0];
    for (std::size_t i = 2; i < ticks.size(); ++i)
        if (std::fabs(ticks[i] - ticks[i - 1] - step) > step * 1e-6) return 0;
    return step;
}

std::vector<double> log_ticks(double low, double high, int target_count) {
    if (!(low > 0) || !std::isfinite(high)) return {};
    if (low > high) std::swap(low, high);
    target_count = std::max(2, target_count);
    const double first = std::floor(std::log10(low)), last = std::ceil(std::log10(high));
    const double decades = std::log10(high) - std::log10(low);
    const int every = std::max(1, static_cast<int>(std::ceil(decades / target_count)));
    const auto collect = [&](std::span<const double> within) {
        std::vector<double> ticks;
        for (double decade = first; decade <= last; decade += 1) {
            if (every > 1 && std::fmod(decade, every) != 0) continue;
            for (const double m : within) {
                const double tick = m * std::pow(10.0, decade);
                if (tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9)) ticks.push_back(tick);
            }
        }
        return ticks;
    };
    constexpr std::array<double, 3> steps_1_2_5 = {1, 2, 5};
    constexpr std::array<double, 1> powers_only = {1};
    if (every == 1) {
        std::vector<double> ticks = collect(steps_1_2_5);
        if (ticks.size() < 3) return linear_ticks_on_log_axis(low, high, target_count);
        if (static_cast<int>(ticks.size()) <= target_count + 1) return ticks;
    }
    std::vector<double> ticks = collect(powers_only);
    return ticks.size() < 2 ? collect(steps_1_2_5) : ticks;
}

AxisUnit axis_unit(const Axis& axis, Range shown) {
    const bool logarithmic = axis.scale == AxisScale::logarithmic;
    // A log axis uses its middle, so that the labels at neither end are a row of zeros.
    const double size = logarithmic ? from_axis(axis.scale, (shown.low + shown.high) / 2)
                                    : std::max(std::fabs(shown.low), std::fabs(shown.high));
    for (const UnitLadder& ladder : unit_ladders) {
        if (axis.unit != ladder.base) continue;
        AxisUnit unit{ladder.steps[0].first, std::string(ladder.steps[0].second)};
        for (const auto& [factor, name] : ladder.steps)
            if (size >= factor) unit = {factor, std::string(name)};
        return unit;
    }
    return {1, axis.unit};
}

std::string tick_text(double value, double step, double max_magnitude) {
    step = std::fabs(step);
    if (!std::isfinite(value)) return "\u2013";
    if (!(step > 0)) step = std::fabs(value);
    if (std::fabs(value) < step * 1e-6) return "0";
    // When zoomed in to single samples among millions, neighbours differ in the last digits: show all.
    max_magnitude = std::max({std::fabs(value), step, max_magnitude});
    if (max_magnitude >= max_unabbreviated && step >= 1000) return large_text(value, step, max_magnitude);
    const int decimals =
        std::max(0, static_cast<int>(std::ceil(-std::log10(last_nonzero_place(step)) - 1e-9)));
    if ((decimals > 5 && max_magnitude < 1e-4) || decimals > 12 || std::fabs(value) > 1e18) {
        // As many digits as a neighbour, one step away, differs in.
        const double digits =
            std::floor(std::log10(std::fabs(value))) - std::log10(last_nonzero_place(step)) + 1;
        return format_significant(value, std::clamp(static_cast<int>(std::ceil(digits - 1e-9)), 3, 17));
    }
    const std::string digits = fmt::format("{:.{}f}", std::fabs(value), decimals);
    const std::size_t whole_digits = std::min(digits.find('.'), digits.size());
    return (value < 0 ? "\u2212" : "") + format_count(std::stoull(digits)) + digits.substr(whole_digits);
}

std::vector<Tick> axis_ticks(const Axis& axis, Range shown, int target_count, bool are_powers_of_two) {
    std::vector<Tick> ticks;
    if (!axis.categories.empty()) {
        const double last = static_cast<double>(axis.categories.size()) - 1;
        const double from = std::max(0.0, std::ceil(shown.low)), to = std::min(last, std::floor(shown.high));
        for (double i = from; i <= to; i += 1)
            ticks.push_back({i, axis.categories[static_cast<std::size_t>(i)]});
        return ticks;
    }
    const AxisUnit unit = axis_unit(axis, shown);
    if (axis.scale == AxisScale::linear) {
        const double low = shown.low / unit.factor, high = shown.high / unit.factor;
        const std::vector<double> at = axis.unit == "B"
                                           ? binary_ticks(low, high, target_count)
                                           : nice_ticks(low, high, target_count, axis.whole_numbers);
        const double step = at.size() > 1 ? at[1] - at[0] : 0;
        const double max_magnitude = at.empty() ? 0 : std::max(std::fabs(at.front()), std::fabs(at.back()));
        for (const double tick : at)
            ticks.push_back({tick * unit.factor, tick_text(tick, step, max_magnitude)});
        return ticks;
    }
    std::vector<double> at;
    if (are_powers_of_two) {
        const int first = static_cast<int>(std::ceil(shown.low / std::log10(2.0) - 1e-6));
        const int last = static_cast<int>(std::floor(shown.high / std::log10(2.0) + 1e-6));
        const int every = std::max(1, (last - first + target_count) / std::max(1, target_count));
        for (int power = first; power <= last; power += every)
            at.push_back(std::ldexp(1.0, power) / unit.factor);
    } else {
        at = log_ticks(from_axis(axis.scale, shown.low) / unit.factor,
                       from_axis(axis.scale, shown.high) / unit.factor, target_count);
        if (axis.whole_numbers) std::erase_if(at, [](double tick) { return tick != std::floor(tick); });
    }
    const double step = even_step(at);  // then all have the same number of decimals
    for (const double tick : at)
        ticks.push_back({std::log10(tick * unit.factor),
                         step > 0 ? tick_text(tick, step, at.back())
                                  : log_tick_text(tick, at.back(), are_powers_of_two && unit.factor == 1)});
    return ticks;
}

std::string axis_title(const Axis& axis, const AxisUnit& unit) {
    if (unit.name.empty()) return axis.label;
    return axis.label.empty() ? unit.name : axis.label + ", " + unit.name;
}

std::string short_value_text(const AxisUnit& unit, double value, int digits) {
    value /= unit.factor;
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "\u221e" : "\u2212\u221e";
    const double size = std::fabs(value);
    const std::string number = size == std::floor(size) && size < 1e15
                                   ? format_count(static_cast<std::uint64_t>(size))
                                   : format_significant(size, digits);
    return value < 0 ? "\u2212" + number : number;
}

std::string unit_value_text(const AxisUnit& unit, double value, int digits) {
    const std::string number = short_value_text(unit, value, digits);
    return unit.name.empty() ? number : number + "\u00a0" + unit.name;
}

std::string value_text(const Axis& axis, double value) {
    if (!axis.categories.empty()) {
        const double nearest = std::round(value);
        if (nearest >= 0 && nearest < static_cast<double>(axis.categories.size()))
            return axis.categories[static_cast<std::size_t>(nearest)];
    }
    const double size = std::fabs(value);
    const AxisUnit unit = axis_unit({.unit = axis.unit}, {-size, size});
    // A value without a unit is an answer that the reader checks, so it has 7 digits; a measurement has 3.
    return unit_value_text(unit, value, axis.unit.empty() ? 7 : 3);
}

Range widen(Range range, bool starts_at_zero) {
    if (!std::isfinite(range.low) || !std::isfinite(range.high) || range.low > range.high) return {0, 1};
    const double size = std::max(std::fabs(range.low), std::fabs(range.high));
    // Shorter ranges cannot be resolved in pixels that are computed from doubles.
    if (range.length() > size * 1e-12 && range.length() > 1e-300 && std::isfinite(range.length()))
        return range;
    if (size == 0) return starts_at_zero ? Range{0, 1} : Range{-0.5, 0.5};
    if (!std::isfinite(range.length())) return {range.low / 4, range.high / 4};
    return {range.low - size * 0.1, range.high + size * 0.1};
}

}  // namespace gridstride

#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string_view>

#include "base/language.h"

namespace gridstride {
namespace {

constexpr std::string_view thin_space = "\u2009";
constexpr std::string_view no_break_space = "\u00A0";

/// Groups the digits by three: "524800" becomes "524 800".
std::string group_thousands(std::string_view digits) {
    std::string out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) out += thin_space;
        out += digits[i];
    }
    return out;
}

struct Unit {
    double size;
    std::string_view name;
};

constexpr Unit time_units[] = {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}};

/// Picks the first unit in which the number, rounded to three digits, stays below the next unit, else the
/// last.
Quantity choose_unit(double value, std::span<const Unit> units) {
    std::size_t unit_index = 0;
    while (unit_index + 1 < units.size()) {
        const double next_in_this = units[unit_index + 1].size / units[unit_index].size;
        if (!(std::abs(value) / units[unit_index].size >= next_in_this - 0.5)) break;
        ++unit_index;
    }
    const double scaled_value = value / units[unit_index].size;
    // Between 1000 and 1024 of a binary unit, three digits would lose the familiar "1024".
    const int digits = std::abs(scaled_value) >= 1000 ? 4 : 3;
    return {format_significant(scaled_value, digits), std::string(units[unit_index].name)};
}

}  // namespace

std::string format_count(std::uint64_t value) {
    return group_thousands(fmt::format("{}", value));
}

std::string format_significant(double value, int digits) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    if (value == 0) return "0";

    // fmt rounds correctly and ignores the locale: "1.2346e+03".
    const std::string scientific = fmt::format("{:.{}e}", std::abs(value), std::max(digits, 1) - 1);
    const std::size_t e = scientific.find('e');
    const int exponent = std::stoi(scientific.substr(e + 1));
    std::string figures;
    for (const char c : scientific.substr(0, e)) {
        if (c != '.') figures += c;
    }
    while (figures.size() > 1 && figures.back() == '0')
        figures.pop_back();

    std::string out = value < 0 ? "-" : "";
    const int count = static_cast<int>(figures.size());
    if (exponent >= 15 || exponent < -5) {
        out += figures[0];
        if (count > 1) out += '.' + figures.substr(1);
        return out + 'e' + std::to_string(exponent);
    }
    if (exponent < 0) return out + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + figures;
    if (count <= exponent + 1) {
        figures.resize(static_cast<std::size_t>(exponent) + 1, '0');
        return out + group_thousands(figures);
    }
    const auto point = static_cast<std::size_t>(exponent) + 1;
    return out + group_thousands(figures.substr(0, point)) + '.' + figures.substr(point);
}

std::string Quantity::text() const {
    return unit.empty() ? number : number + std::string(no_break_space) + unit;
}

Quantity format_time(double nanoseconds) {
    return choose_unit(nanoseconds, time_units);
}

std::string format_in_unit(double nanoseconds, std::string_view unit, int digits) {
    const auto* found = std::find_if(std::begin(time_units), std::end(time_units),
                                     [&](const Unit& of) { return of.name == unit; });
    if (found == std::end(time_units)) throw std::logic_error("not a unit of time");
    return format_significant(nanoseconds / found->size, digits);
}

Quantity format_bytes(double bytes) {
    static constexpr Unit units[] = {{1, "B"}, {0x1p10, "KiB"}, {0x1p20, "MiB"}, {0x1p30, "GiB"}};
    return choose_unit(bytes, units);
}

std::string format_byte_text(std::uint64_t bytes) {
    return format_bytes(static_cast<double>(bytes)).text();
}

std::string format_bytes_beside(std::uint64_t bytes, std::uint64_t other) {
    std::string text = format_byte_text(bytes);
    return bytes == other || text != format_byte_text(other) ? text
                                                             : Quantity{format_count(bytes), "B"}.text();
}

Quantity format_bandwidth(double bytes_per_second) {
    static constexpr Unit units[] = {{1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}};
    return choose_unit(bytes_per_second, units);
}

Quantity format_percent(double fraction) {
    return {format_significant(100 * fraction), "%"};
}

std::string format_duration(double seconds) {
    if (seconds < 1) return tr("less than 1 s");
    if (seconds < 90) return fmt::format("{:.0f} s", seconds);
    if (seconds < 5400) return tr("{:.0f} min", seconds / 60);
    return fmt::format("{:.1f} h", seconds / 3600);
}

std::string format_time_left(double seconds) {
    return tr("{}{} left", seconds < 1 ? "" : tr("about "), format_duration(seconds));
}

std::string counted(std::uint64_t count, const char* one, const char* many) {
    return fmt::format("{} {}", format_count(count),
                       tr_plural(one, many ? many : (std::string(one) + "s").c_str(), count));
}

}  // namespace gridstride

#include "present/roofline_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/units.h"

namespace gridstride {

namespace {

constexpr double giga = 1e9;

/// Operations of the task a byte that it must move.
double intensity(const Report& report) {
    return static_cast<double>(report.operations) / static_cast<double>(report.bytes_moved);
}

bool has_a_place(const Report& report) {
    return report.operations > 0 && report.bytes_moved > 0 && report.operations_per_second() > 0;
}

/// Bandwidth up to the ridge, then arithmetic; the slope alone where arithmetic was not measured.
Series roof(const Ceilings& ceilings, double low, double high) {
    Series series;
    series.label = "roof";
    series.mark = Mark::line;
    series.ink = Ink::quiet;
    const double ridge = ceilings.operations_per_second / ceilings.copy_bytes_per_second;
    const auto height = [&](double x) {
        return ceilings.operations_per_second > 0
                   ? std::min(x * ceilings.copy_bytes_per_second, ceilings.operations_per_second)
                   : x * ceilings.copy_bytes_per_second;
    };
    series.x = {low};
    if (ridge > low && ridge < high) series.x.push_back(ridge);
    series.x.push_back(high);
    for (const double x : series.x)
        series.y.push_back(height(x) / giga);
    return series;
}

}  // namespace

std::optional<Plot> roofline(const Lesson& lesson, std::span<const Report* const> history) {
    Figure figure;
    figure.x = {"operations a byte, computed", "", AxisScale::logarithmic};
    figure.y = {"rate, measured", "Gop/s", AxisScale::logarithmic};
    std::optional<Ceilings> ceilings;
    double lowest = std::numeric_limits<double>::infinity(), highest = 0;
    bool from_cache = false;
    for (const Variant& variant : lesson.variants) {
        const auto found = std::find_if(history.rbegin(), history.rend(), [&](const Report* report) {
            return report->experiment.variant == variant.id && report->experiment.lesson == lesson.id &&
                   has_a_place(*report);
        });
        if (found == history.rend()) continue;
        const Report* const latest = *found;
        if (latest->ceilings) ceilings = latest->ceilings;
        from_cache |= latest->cache.from_cache();
        Series point;
        point.label = variant.id;
        point.mark = Mark::scatter;
        point.x = {intensity(*latest)};
        point.y = {latest->operations_per_second() / giga};
        lowest = std::min(lowest, point.x.front());
        highest = std::max(highest, point.x.front());
        figure.series.push_back(std::move(point));
    }
    if (figure.series.empty() || !ceilings || !(ceilings->copy_bytes_per_second > 0)) return std::nullopt;

    const double ridge = ceilings->operations_per_second / ceilings->copy_bytes_per_second;
    figure.series.insert(
        figure.series.begin(),
        roof(*ceilings, std::min(lowest, ridge > 0 ? ridge : lowest) / 8, std::max(highest, ridge) * 8));
    if (ridge > 0) figure.markers.push_back({ridge, "ridge"});
    std::string note = fmt::format(
        "Each variant's latest run: the rate is measured, the intensity computed from the task's operations "
        "and the least bytes that it moves. The roof is measured: device copy {}{}.",
        format_bandwidth(ceilings->copy_bytes_per_second).text(),
        ceilings->operations_per_second > 0
            ? fmt::format(", f32 multiply-adds {} Gop/s",
                          format_significant(ceilings->operations_per_second / giga))
            : "");
    if (from_cache) note += " Runs whose data fit the cache may stand above it.";
    return Plot{"roofline", "Roofline", Origin::measured, std::move(figure), std::move(note)};
}

}  // namespace gridstride

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

#include "base/units.h"
#include "grid_stride/grid_stride.h"
#include "lesson/building_blocks.h"
#include "lesson/metrics.h"

namespace gridstride::lessons::grid_stride {

namespace {

constexpr std::size_t few = 48;

/// Draws the lengths by definition and, after a run, as computed by the device.
std::optional<Plot> lengths_picture(const Report& report) {
    const Array* x = find(report.input, "x");
    const Array* y = find(report.input, "y");
    const Array* lengths = find(report.outputs, "lengths");
    if (!x || !y || !lengths || lengths->empty()) return std::nullopt;
    return Plot{
        .id = "lengths",
        .title = "Pairs and their lengths",
        .origin = report.computed ? Origin::computed : Origin::measured,
        .content = Figure{.x = {.label = "element", .whole_numbers = true},
                          .y = {.label = "number"},
                          .series = {first_numbers(*lengths, few, "length", Mark::bars, ColorRole::kernel),
                                     first_numbers(*x, few, "x", Mark::scatter, ColorRole::upload),
                                     first_numbers(*y, few, "y", Mark::scatter, ColorRole::download)}},
        .note = fmt::format("The first {} of {}.", std::min(few, lengths->count()),
                            format_count(lengths->count()))};
}

/// Draws how many elements each invocation processed, by invocation number.
std::optional<Plot> taken_picture(const Report& report) {
    const Array* counts = find(report.outputs, "taken");
    if (!counts || counts->count() < 2) return std::nullopt;
    constexpr std::size_t max_points = 1 << 16;
    Series bars{.label = "elements",
                .mark = Mark::bars,
                .color_role = ColorRole::kernel,
                .y = sample_numbers(*counts, max_points)};
    return Plot{.id = "taken",
                .title = "How many elements each invocation took",
                .content = Figure{.x = {.label = "invocation", .whole_numbers = true},
                                  .y = {.label = "elements"},
                                  .series = {std::move(bars)}}};
}

/// Draws the latest run at each number of workgroups with the current variant, elements and workgroup size.
std::optional<Plot> knee_picture(const Run& run, std::span<const Report* const> history) {
    std::map<std::uint64_t, double> times;
    for (const Report* report : std::views::reverse(history)) {
        const Experiment& other = report->experiment;
        const bool is_like = other.variant == run.variant.id && !other.kernel &&
                             other.values[key::elements] == run[key::elements] &&
                             report->launch.workgroup_size() == run.plan.main().workgroup_size();
        const auto time = metric(*report, "kernel_ns");
        if (is_like && time && *time > 0) times.emplace(report->launch.workgroup_count(), *time);
    }
    if (times.empty()) return std::nullopt;
    Series line{.label = "kernel", .color_role = ColorRole::kernel};
    for (const auto& [workgroups, time] : times) {
        line.x.push_back(static_cast<double>(workgroups));
        line.y.push_back(time);
    }
    Figure figure{.x = {.label = "workgroups", .scale = AxisScale::logarithmic, .whole_numbers = true},
                  .y = {.label = "time", .unit = "ns", .scale = AxisScale::logarithmic},
                  .series = {std::move(line)}};
    std::string note = "The latest run at each count of workgroups.";
    if (const std::uint32_t multiprocessors = run.limits.multiprocessors; multiprocessors > 0)
        figure.markers.push_back({static_cast<double>(multiprocessors), "one for each multiprocessor"});
    if (times.size() < 2) note += " Run other counts to see the line grow.";
    return Plot{.id = "knee",
                .title = "Time against workgroups",
                .content = std::move(figure),
                .note = std::move(note)};
}

}  // namespace

void pictures(Figures& add, const Run& run) {
    if (add.report()) add.plot(lengths_picture(*add.report()));
    // Values that are out of range have no plan.
    if (!run.plan.steps.empty()) {
        add.recorded(
            "rounds", "Who takes which element, round by round",
            [](const auto& trace, auto records) { return draw_passes(trace, records, "x", "element"); });
        add.plot(access_map_plot(add.of(), "x", "element"));
        add.plot(knee_picture(run, add.history()));
    }
    if (add.report()) add.plot(taken_picture(*add.report()));
}

}  // namespace gridstride::lessons::grid_stride

#include "present/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/language.h"
#include "base/units.h"
#include "launch/occupancy.h"
#include "lesson/metrics.h"
#include "present/run_times.h"

namespace gridstride {

namespace {

enum OccupancyCell : std::uint8_t { cell_workgroup, cell_next_workgroup, cell_free };

double median_or_zero(const Timing& timing) {
    return timing.median().value_or(0);
}

std::string time_breakdown_note(const Timings& timings) {
    std::string text =
        tr("One run took {} on the host's clock. \"Submit and wait\" is the remainder, which "
           "includes copies to and from staging memory.",
           format_time(median_or_zero(timings.wall)).text());
    if (timings.kernel.samples != timings.kernel_in_wall.samples)
        text += tr(" The kernel takes {} in such a run and {} when it runs over and over.",
                   format_time(median_or_zero(timings.unbatched_kernel())).text(),
                   format_time(median_or_zero(timings.kernel)).text());
    return text;
}

constexpr double giga = 1e9;

double arithmetic_intensity(const Report& report) {
    return static_cast<double>(report.operations) / static_cast<double>(report.bytes_moved);
}

bool has_roofline_point(const Report& report) {
    return report.operations > 0 && report.bytes_moved > 0 && report.operations_per_second() > 0;
}

/// Bandwidth up to the ridge point, then arithmetic; only the slope if arithmetic was not measured.
Series make_roof(std::string label, double bytes_per_second, const Ceilings& ceilings, double low,
                 double high) {
    Series series{.label = std::move(label), .mark = Mark::line, .color_role = ColorRole::quiet};
    const double ridge = ceilings.operations_per_second / bytes_per_second;
    const auto height = [&](double x) {
        return ceilings.operations_per_second > 0
                   ? std::min(x * bytes_per_second, ceilings.operations_per_second)
                   : x * bytes_per_second;
    };
    series.x = {low};
    if (ridge > low && ridge < high) series.x.push_back(ridge);
    series.x.push_back(high);
    for (const double x : series.x)
        series.y.push_back(height(x) / giga);
    return series;
}

const char* bound_label(OccupancyBound by) {
    switch (by) {
        case OccupancyBound::subgroups:
            return tr("by subgroups");
        case OccupancyBound::registers:
            return tr("by registers");
        case OccupancyBound::workgroups:
            return tr("by workgroups");
    }
    return "";
}

std::vector<std::uint8_t> occupancy_cells(std::uint64_t workgroups, std::uint64_t each, std::uint64_t all) {
    std::vector<std::uint8_t> cells;
    for (std::uint64_t place = 0; place < all; ++place) {
        const std::uint64_t workgroup = place / each;
        // A workgroup is resident with all of its subgroups or not at all.
        const bool is_resident = workgroup < workgroups && (workgroup + 1) * each <= all;
        cells.push_back(!is_resident ? cell_free : workgroup % 2 == 0 ? cell_workgroup : cell_next_workgroup);
    }
    return cells;
}

}  // namespace

Plot time_breakdown_plot(const Report& report) {
    const Timings& timings = report.timings;
    std::vector<double> cpu;  // of baseline_threads
    if (!timings.cpu.samples.empty()) cpu.push_back(median_or_zero(timings.cpu));
    for (const Timing& timing : timings.more_cpu)
        cpu.push_back(median_or_zero(timing));
    Figure figure{
        .x = {.categories = {"GPU"}}, .y = {tr("time"), "ns"}, .is_horizontal = true, .value_labels = true};
    const auto add = [&](std::string_view label, ColorRole color_role, double gpu) {
        Series series{.label = std::string(label), .mark = Mark::stacked_bars, .color_role = color_role};
        series.y.assign(1 + cpu.size(), 0.0);
        series.y.front() = gpu;
        figure.series.push_back(std::move(series));
    };
    const auto add_part = [&](ColorRole color_role, double ns) {
        add(part_name(color_role), color_role, ns);
    };
    add_part(ColorRole::upload, median_or_zero(timings.upload));
    add_part(ColorRole::kernel, median_or_zero(timings.unbatched_kernel()));
    add_part(ColorRole::download, median_or_zero(timings.download));
    if (const double host = median_or_zero(timings.host); host > 0) add_part(ColorRole::cpu, host);
    // The rest of the wall-clock time: staging copies, submitting and waiting. The medians of the parts can
    // exceed the median of the whole slightly, which must not become a negative wait.
    add_part(ColorRole::wait, std::max(0.0, metric(report, "rest_ns").value_or(0)));
    for (std::size_t i = 0; i < cpu.size() && i < baseline_threads.size(); ++i) {
        figure.x.categories.push_back("CPU");
        add(tr(baseline_threads[i].title), ColorRole::cpu, 0);
        figure.series.back().y[i + 1] = cpu[i];
    }
    return {
        "where_the_time_goes",
        tr("Where the time goes · median of {}", counted(timings.wall.samples.size(), "sample", "samples")),
        Origin::measured, std::move(figure), time_breakdown_note(timings)};
}

Plot kernel_samples_plot(const Report& report) {
    Figure figure;
    figure.x = {tr("sample"), "", AxisScale::linear, {}, true};
    figure.y = {tr("kernel"), "ns"};
    Series series{.label = tr("kernel"),
                  .mark = Mark::scatter,
                  .color_role = ColorRole::kernel,
                  .y = report.timings.kernel.samples};
    Series median{.label = tr("median"), .mark = Mark::line, .color_role = ColorRole::quiet};
    if (!series.y.empty()) {
        const double value = report.timings.kernel.summary().median;
        median.x = {0, static_cast<double>(series.y.size() - 1)};
        median.y = {value, value};
    }
    figure.series = {std::move(series), std::move(median)};
    std::string note;
    if (report.timings.kernel_repeats > 1)
        note = tr("Batched: each sample is {} repeats inside one timestamp pair, divided by {}.",
                  report.timings.kernel_repeats, report.timings.kernel_repeats);
    return {"kernel_samples", tr("Kernel time, sample by sample"), Origin::measured, std::move(figure), note};
}

std::optional<Plot> time_per_variant_plot(const PreparedExperiment& prepared,
                                          std::span<const HistoryEntry* const> runs) {
    Figure figure{.y = {tr("kernel"), "ns"}, .value_labels = true};
    Series series{.label = tr("kernel"), .mark = Mark::bars, .color_role = ColorRole::kernel};
    for (const Variant& variant : prepared.lesson->variants) {
        Experiment experiment = prepared.experiment;
        experiment.variant = variant.id;
        experiment.kernel.reset();
        const auto latest = std::find_if(runs.rbegin(), runs.rend(), [&](const HistoryEntry* run) {
            return !run->report.timings.kernel.samples.empty() && run->report.experiment == experiment;
        });
        if (latest == runs.rend()) continue;
        const Summary summary = (*latest)->report.timings.kernel.summary();
        figure.x.categories.push_back(variant.id);
        series.y.push_back(summary.median);
        // The interval of a noisy series may reach below 0, but no time does.
        series.y_low.push_back(std::max(0.0, summary.median - summary.median_error));
        series.y_high.push_back(summary.median + summary.median_error);
    }
    if (series.y.empty()) return std::nullopt;
    figure.series.push_back(std::move(series));
    return Plot{"time_per_variant", tr("Kernel time per variant"), Origin::measured, std::move(figure),
                tr("Medians with their 95 % intervals, at the current settings.")};
}

std::optional<Plot> time_history_plot(const Lesson& lesson, std::span<const HistoryEntry* const> runs) {
    Figure figure;
    figure.x = {tr("run"), "", AxisScale::linear, {}, true};
    figure.y = {tr("kernel"), "ns", AxisScale::logarithmic};
    for (const Variant& variant : lesson.variants) {
        Series series{.label = variant.id, .mark = Mark::scatter};
        for (const HistoryEntry* run : runs) {
            const Report& report = run->report;
            if (report.experiment.variant != variant.id || report.experiment.lesson != lesson.id ||
                report.timings.kernel.samples.empty())
                continue;
            series.x.push_back(static_cast<double>(run->number));
            series.y.push_back(run->kernel_ns);
        }
        if (!series.y.empty()) figure.series.push_back(std::move(series));
    }
    if (figure.series.empty()) return std::nullopt;
    return Plot{"time_history", tr("Kernel time, run by run"), Origin::measured, std::move(figure), ""};
}

std::optional<Plot> roofline_plot(const Lesson& lesson, std::span<const HistoryEntry* const> runs) {
    Figure figure;
    figure.x = {tr("operations per byte, computed"), "", AxisScale::logarithmic};
    figure.y = {tr("rate, measured"), "Gop/s", AxisScale::logarithmic};
    std::optional<Ceilings> ceilings;
    double min_value = std::numeric_limits<double>::infinity(), max_value = 0;
    bool from_cache = false;
    for (const Variant& variant : lesson.variants) {
        const auto found = std::find_if(runs.rbegin(), runs.rend(), [&](const HistoryEntry* run) {
            const Experiment& experiment = run->report.experiment;
            return experiment.variant == variant.id && experiment.lesson == lesson.id &&
                   has_roofline_point(run->report);
        });
        if (found == runs.rend()) continue;
        const Report& latest = (*found)->report;
        if (latest.ceilings) ceilings = latest.ceilings;
        from_cache |= latest.cache.from_cache();
        const double x = arithmetic_intensity(latest);
        min_value = std::min(min_value, x);
        max_value = std::max(max_value, x);
        figure.series.push_back({.label = variant.id,
                                 .mark = Mark::scatter,
                                 .x = {x},
                                 .y = {latest.operations_per_second() / giga}});
    }
    if (figure.series.empty() || !ceilings || !(ceilings->copy_bytes_per_second > 0)) return std::nullopt;

    const double ridge = ceilings->operations_per_second / ceilings->copy_bytes_per_second;
    figure.series.insert(
        figure.series.begin(),
        make_roof(tr("roof"), ceilings->copy_bytes_per_second, *ceilings,
                  std::min(min_value, ridge > 0 ? ridge : min_value) / 8, std::max(max_value, ridge) * 8));
    if (ridge > 0) figure.markers.push_back({ridge, tr("ridge")});
    std::string note = tr(
        "Each variant's latest run. The rate is measured; the arithmetic intensity is computed from the "
        "task's operations and the minimum bytes that it must move. The roof is measured: device copy {}{}.",
        format_bandwidth(ceilings->copy_bytes_per_second).text(),
        ceilings->operations_per_second > 0
            ? tr(", f32 multiply-adds {} Gop/s", format_significant(ceilings->operations_per_second / giga))
            : "");
    if (from_cache) note += tr(" Runs whose data fit into the cache may lie above the roof.");
    return Plot{"roofline", tr("Roofline"), Origin::measured, std::move(figure), std::move(note)};
}

std::optional<Plot> limits_plot(const Report& report, const RunLimits& limits) {
    if (!report.ceilings || !limits.min_bytes_intensity || !(report.operations_per_second() > 0))
        return std::nullopt;
    const Ceilings& ceilings = *report.ceilings;
    const double rate = report.operations_per_second() / giga,
                 min_bytes_intensity = *limits.min_bytes_intensity;
    const double accessed_intensity = limits.accessed_intensity.value_or(min_bytes_intensity);
    const double ridge = ceilings.operations_per_second / ceilings.copy_bytes_per_second;
    const double low = std::min({min_bytes_intensity, accessed_intensity, ridge}) / 4,
                 high = std::max({min_bytes_intensity, accessed_intensity, ridge}) * 4;
    Figure figure;
    figure.x = {tr("operations per byte"), "", AxisScale::logarithmic};
    figure.y = {tr("rate, measured"), "Gop/s", AxisScale::logarithmic};
    Series cache = make_roof(tr("cache"), ceilings.cache_bytes_per_second, ceilings, low, high);
    cache.color_role = ColorRole::upload;
    figure.series = {make_roof(tr("memory"), ceilings.copy_bytes_per_second, ceilings, low, high),
                     std::move(cache)};
    if (limits.accessed_intensity)
        figure.series.push_back({.label = tr("of the bytes accessed (traced)"),
                                 .mark = Mark::scatter,
                                 .color_role = ColorRole::kernel,
                                 .x = {accessed_intensity},
                                 .y = {rate}});
    figure.series.push_back({.label = tr("of the least bytes (computed)"),
                             .mark = Mark::scatter,
                             .color_role = ColorRole::download,
                             .x = {min_bytes_intensity},
                             .y = {rate}});
    return Plot{"limits", tr("Where this run stands"), Origin::measured, std::move(figure),
                tr("Ceilings measured on this device: memory {}, cache {}, f32 {} Gop/s. The run is "
                   "drawn twice: by the "
                   "bytes that invocations access, and by the least that the task must move.",
                   format_bandwidth(ceilings.copy_bytes_per_second).text(),
                   format_bandwidth(ceilings.cache_bytes_per_second).text(),
                   format_significant(ceilings.operations_per_second / giga))};
}

std::optional<Plot> occupancy_plot(const PreparedExperiment& prepared, std::uint32_t registers) {
    const Dispatch& main = prepared.plan.main();
    const Limits& limits = prepared.limits;
    const auto fit = occupancy(main.workgroup_size(), registers, limits);
    if (!fit) return std::nullopt;
    Cells cells;
    cells.kinds = {{tr("a workgroup"), ColorRole::kernel},
                   {tr("the next workgroup"), ColorRole::upload},
                   {tr("free"), ColorRole::quiet}};
    cells.cell_name = tr("subgroup");
    for (const Occupancy::Bound& bound : fit->bounds)
        cells.rows.push_back({std::string(bound_label(bound.by)),
                              occupancy_cells(bound.workgroups, fit->subgroups_per_workgroup,
                                              limits.subgroups_per_multiprocessor),
                              fmt::format("{}{}", format_count(bound.workgroups),
                                          fit->limits(bound.by) ? tr(", the limit") : "")});
    return Plot{"occupancy", tr("Occupancy of a multiprocessor"), Origin::modelled, std::move(cells),
                tr("The resident workgroups that each resource alone would allow.")};
}

}  // namespace gridstride

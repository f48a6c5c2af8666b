#include "present/figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"

namespace gridstride {

namespace {

/// The workgroups that are drawn: more are not told apart.
constexpr std::uint64_t most_workgroups = 8;

enum LaunchCell : std::uint8_t { cell_works, cell_idles };

/// That the bar is a sum, and where its kernel differs from the one in the headline.
std::string sum_in_words(const Report& report, const TimeParts& parts) {
    std::string text =
        fmt::format("One run by the host's clock: {}. Submit and wait is the rest, staging memory included.",
                    format_time(parts.wall).text());
    if (report.timings.kernel.samples != report.timings.pass_kernel.samples)
        text += fmt::format(" The kernel takes {} in it and {} when it runs over and over.",
                            format_time(parts.kernel).text(),
                            format_time(report.timings.kernel.median().value_or(0)).text());
    return text;
}

}  // namespace

TimeParts time_parts(const Report& report) {
    TimeParts parts;
    parts.upload = report.timings.upload.median().value_or(0);
    const bool has_own = !report.timings.pass_kernel.samples.empty();
    parts.kernel = (has_own ? report.timings.pass_kernel : report.timings.kernel).median().value_or(0);
    parts.host = report.timings.host.median().value_or(0);
    parts.download = report.timings.download.median().value_or(0);
    parts.wall = report.timings.wall.median().value_or(0);
    // Medians of parts can exceed the median of the whole by a little; there is no negative wait.
    parts.rest = std::max(0.0, parts.wall - parts.upload - parts.kernel - parts.download - parts.host);
    if (!report.timings.cpu.samples.empty()) parts.cpu.push_back(report.timings.cpu.median().value_or(0));
    for (const Timing& timing : report.timings.more_cpu)
        parts.cpu.push_back(timing.median().value_or(0));
    return parts;
}

Plot where_the_time_goes(const Report& report, const Lesson& lesson) {
    const TimeParts parts = time_parts(report);
    Figure figure;
    figure.horizontal = true;
    figure.value_labels = true;
    figure.x.categories = {"GPU"};
    figure.y.label = "time";
    figure.y.unit = "ns";
    const auto add = [&](std::string label, Ink ink, double gpu) {
        Series series;
        series.label = std::move(label);
        series.mark = Mark::stacked_bars;
        series.ink = ink;
        series.y.assign(1 + parts.cpu.size(), 0.0);
        series.y.front() = gpu;
        figure.series.push_back(std::move(series));
    };
    add("upload", Ink::upload, parts.upload);
    add("kernel", Ink::kernel, parts.kernel);
    add("download", Ink::download, parts.download);
    if (parts.host > 0) add("CPU steps", Ink::cpu, parts.host);
    add("submit and wait", Ink::wait, parts.rest);
    for (std::size_t i = 0; i < parts.cpu.size() && i < lesson.baselines.size(); ++i) {
        figure.x.categories.push_back("CPU");
        add(lesson.baselines[i].title, Ink::cpu, 0);
        figure.series.back().y[i + 1] = parts.cpu[i];
    }
    return {"where_the_time_goes",
            fmt::format("Where the time goes · median of {} samples", report.timings.wall.samples.size()),
            Origin::measured, std::move(figure), sum_in_words(report, parts)};
}

Plot kernel_samples(const Report& report) {
    Figure figure;
    figure.x = {"sample", "", AxisScale::linear, {}, true};
    figure.y = {"kernel", "ns"};
    Series series;
    series.label = "kernel";
    series.mark = Mark::scatter;
    series.ink = Ink::kernel;
    series.y = report.timings.kernel.samples;
    Series median;
    median.label = "median";
    median.mark = Mark::line;
    median.ink = Ink::quiet;
    if (!series.y.empty()) {
        const double value = report.timings.kernel.summary().median;
        median.x = {0, static_cast<double>(series.y.size() - 1)};
        median.y = {value, value};
    }
    figure.series = {std::move(series), std::move(median)};
    std::string note;
    if (report.timings.kernel_repeats > 1)
        note = fmt::format("Batched: each sample is {} repeats inside one timestamp pair, divided by {}.",
                           report.timings.kernel_repeats, report.timings.kernel_repeats);
    return {"kernel_samples", "Kernel time, sample by sample", Origin::measured, std::move(figure), note};
}

std::optional<Plot> time_per_variant(const Prepared& asked, std::span<const EndedRun> runs) {
    Figure figure;
    figure.value_labels = true;
    figure.y = {"kernel", "ns"};
    Series series;
    series.label = "kernel";
    series.mark = Mark::bars;
    series.ink = Ink::kernel;
    for (const Variant& variant : asked.lesson->variants) {
        Experiment wanted = asked.experiment;
        wanted.variant = variant.id;
        const auto latest = std::find_if(runs.rbegin(), runs.rend(), [&](const EndedRun& run) {
            const Report& report = run.entry->report;
            return !report.timings.kernel.samples.empty() && report.experiment == wanted;
        });
        if (latest == runs.rend()) continue;
        const Summary summary = latest->entry->report.timings.kernel.summary();
        figure.x.categories.push_back(variant.id);
        series.y.push_back(summary.median);
        series.y_low.push_back(summary.median - summary.median_error);
        series.y_high.push_back(summary.median + summary.median_error);
    }
    if (series.y.empty()) return std::nullopt;
    figure.series.push_back(std::move(series));
    return Plot{"time_per_variant", "Kernel time per variant", Origin::measured, std::move(figure),
                "Medians with their 95 % intervals, at the values on the bench."};
}

std::optional<Plot> time_history(const Lesson& lesson, std::span<const EndedRun> runs) {
    Figure figure;
    figure.x = {"run", "", AxisScale::linear, {}, true};
    figure.y = {"kernel", "ns", AxisScale::logarithmic};
    for (const Variant& variant : lesson.variants) {
        Series series;
        series.label = variant.id;
        series.mark = Mark::scatter;
        for (const EndedRun& run : runs) {
            const Report& report = run.entry->report;
            if (report.experiment.variant != variant.id || report.experiment.lesson != lesson.id ||
                report.timings.kernel.samples.empty())
                continue;
            series.x.push_back(static_cast<double>(run.entry->number));
            series.y.push_back(run.kernel_ns);
        }
        if (!series.y.empty()) figure.series.push_back(std::move(series));
    }
    if (figure.series.empty()) return std::nullopt;
    return Plot{"time_history", "Kernel time, run by run", Origin::measured, std::move(figure), ""};
}

Plot launch_picture(const Plan& plan) {
    const Dispatch& main = plan.main();
    Cells cells;
    cells.kinds = {{"has elements", Ink::kernel}, {"has none", Ink::quiet}};
    cells.cell_name = "invocation";
    const std::uint64_t size = main.workgroup_size(), groups = main.workgroup_count();
    // Neighbouring invocations take neighbouring elements (or runs of them), so who is left without is at the
    // end, whatever each takes.
    const auto works = [&](std::uint64_t group, std::uint64_t invocation) {
        for (unsigned dimension = 0; dimension < main.domain.dimensions(); ++dimension) {
            const std::uint64_t tile = main.tile.along(dimension), width = main.workgroup.along(dimension);
            const std::uint64_t share = std::max<std::uint64_t>(1, tile / width);
            const std::uint64_t place =
                group % main.grid.along(dimension) * tile + invocation % width * share;
            if (place >= main.domain.along(dimension)) return false;
            group /= main.grid.along(dimension);
            invocation /= width;
        }
        return true;
    };
    const std::uint64_t shown = std::min(groups, most_workgroups);
    for (std::uint64_t group = 0; group < shown; ++group) {
        Cells::Row row;
        row.label = fmt::format("workgroup {}", format_count(group));
        std::uint64_t working = 0;
        for (std::uint64_t invocation = 0; invocation < size; ++invocation) {
            const bool has_work = works(group, invocation);
            row.kinds.push_back(has_work ? cell_works : cell_idles);
            working += has_work ? 1 : 0;
        }
        row.note = fmt::format("{} of {} have elements", format_count(working), format_count(size));
        cells.rows.push_back(std::move(row));
    }
    std::string note = groups > shown ? fmt::format("The first {} of {} workgroups, in their first pass.",
                                                    shown, format_count(groups))
                                      : std::string("All workgroups, in their first pass.");
    return {"launch", "Who has work", Origin::computed, std::move(cells), note};
}

}  // namespace gridstride

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <ranges>

#include "base/units.h"
#include "lesson/load_counts.h"
#include "lesson/stock.h"
#include "softmax/softmax.h"

namespace gridstride::lessons::softmax {

namespace {

constexpr std::size_t few = 64;

/// Why a bar is missing; empty where none is.
std::string missing_bars(std::span<const double> bars) {
    const auto missing = std::ranges::count_if(bars, [](double bar) { return !std::isfinite(bar); });
    if (missing == 0) return {};
    return fmt::format(" {} of them are not a number, and have no bar.", missing);
}

/// The first numbers of the first row.
Plot numbers_picture(const Report& report) {
    const std::uint64_t columns = report.experiment.values[key::columns];
    const std::size_t shown = std::min<std::size_t>(few, columns);
    Series bars = first_of(*report.input.front().array, shown, "x", Mark::bars, Ink::upload);
    std::string note = fmt::format("The first {} of {} numbers of the first row.{}", shown,
                                   format_count(columns), missing_bars(bars.y));
    return {.id = "numbers",
            .title = "A row, before",
            .origin = Origin::computed,
            .content = Figure{.x = {.label = "column", .whole_numbers = true},
                              .y = {.label = "number"},
                              .series = {std::move(bars)}},
            .note = std::move(note)};
}

/// What came of them.
std::optional<Plot> row_picture(const Report& report) {
    if (report.outputs.empty() || report.outputs.front().array->empty()) return std::nullopt;
    const std::string& name = report.outputs.front().name;
    const ArrayRef& array = report.outputs.front().array;
    const bool one_for_each_row = array->count() == report.experiment.values[key::rows] && name != "shares";
    const std::uint64_t count = one_for_each_row ? array->count() : report.experiment.values[key::columns];
    const std::size_t shown = std::min<std::size_t>({few, count, array->count()});
    Series bars = first_of(*array, shown, name == "log_sums" ? "log sum" : name, Mark::bars, Ink::kernel);
    std::string note = fmt::format("The first {} of {}.{}", shown, format_count(count), missing_bars(bars.y));
    return Plot{.id = "row",
                .title = one_for_each_row ? "What came out, one number for each row" : "A row, after",
                .origin = report.computed ? Origin::computed : Origin::measured,
                .content = Figure{.x = {.label = one_for_each_row ? "row" : "column", .whole_numbers = true},
                                  .y = {.label = name == "shares" ? "share" : "number"},
                                  .series = {std::move(bars)}},
                .note = std::move(note)};
}

/// Every share of the first row against its number: a straight line, as its axis is logarithmic.
std::optional<Plot> curve_picture(const Report& report) {
    const Array* const shares = find(report.outputs, "shares");
    if (!shares || shares->empty()) return std::nullopt;
    const Array& x = *report.input.front().array;
    constexpr std::size_t most = 2048;
    Series points{.label = "share", .mark = Mark::scatter, .ink = Ink::kernel};
    for_each_sampled(report.experiment.values[key::columns], most, [&](std::size_t i) {
        if (!(shares->number(i) > 0)) return;
        points.x.push_back(x.number(i));
        points.y.push_back(shares->number(i));
    });
    if (points.x.empty()) return std::nullopt;
    return Plot{.id = "curve",
                .title = "A number's share, by the number",
                .origin = report.computed ? Origin::computed : Origin::measured,
                .content = Figure{.x = {.label = "number"},
                                  .y = {.label = "share", .scale = AxisScale::logarithmic},
                                  .series = {std::move(points)}},
                .note = "Of the first row. A step of 1 to the right is always the same way up."};
}

/// What is known once so many numbers of the first row have been seen: the online rule, number by number.
Plot online_picture(const Report& report) {
    const Array& x = *report.input.front().array;
    const std::size_t shown = std::min<std::size_t>(few, report.experiment.values[key::columns]);
    Series numbers = first_of(x, shown, "number", Mark::bars, Ink::upload);
    Series largest{.label = "largest so far, m", .ink = Ink::kernel},
        sum{.label = "sum of exp(x \u2212 m) so far", .ink = Ink::download};
    double top = x.number(0), total = 0;
    for (const double number : numbers.y) {
        if (number > top) total *= std::exp(top - number);
        top = std::max(top, number);
        total += std::exp(number - top);
        largest.y.push_back(top);
        sum.y.push_back(total);
    }
    return {.id = "online",
            .title = "What is known after each number",
            .origin = Origin::computed,
            .content = Figure{.x = {.label = "column", .whole_numbers = true},
                              .y = {.label = "number, and sum"},
                              .series = {std::move(numbers), std::move(largest), std::move(sum)}},
            .note = "Where m rises, the sum is scaled down to it."};
}

/// Bytes that each way loads and stores for a number of the bench's rows.
Plot bytes_picture(const Prepared& asked) {
    const Values& values = asked.values();
    const Team team = team_of(values, asked.limits);
    const auto columns = static_cast<double>(values[key::columns]);
    const double kept =
        std::min(1.0, 4.0 * static_cast<double>(team.quads_each * team.invocations) / columns);
    const std::array<double, 3> reads = {3, 2, 2 - kept};
    Axis ways;
    Series loaded{.label = "loaded", .mark = Mark::stacked_bars, .ink = Ink::upload},
        stored{.label = "stored", .mark = Mark::stacked_bars, .ink = Ink::download};
    for (std::size_t way = 0; way < reads.size(); ++way) {
        ways.categories.push_back(asked.lesson->variants.at(way).title);
        loaded.y.push_back(4 * reads.at(way));
        stored.y.push_back(4);
    }
    return {.id = "bytes",
            .title = "Bytes for each number, with rows like these",
            .origin = Origin::computed,
            .content = Figure{.x = std::move(ways),
                              .y = {.label = "bytes"},
                              .series = {std::move(loaded), std::move(stored)},
                              .horizontal = true,
                              .value_labels = true},
            .note = "What is loaded again may come from a cache."};
}

/// Of the latest run with each length of rows, of each way to the shares, on the bench's workgroups.
std::optional<Plot> length_picture(const Prepared& asked, std::span<const Report* const> history) {
    constexpr std::array<Ink, 3> inks = {Ink::download, Ink::upload, Ink::kernel};
    Figure figure{.x = {.label = "columns", .scale = AxisScale::logarithmic, .whole_numbers = true},
                  .y = {.label = "time for a number", .unit = "ns", .scale = AxisScale::logarithmic}};
    for (std::size_t way = 0; way < inks.size(); ++way) {
        const Variant& variant = asked.lesson->variants.at(way);
        std::map<std::uint64_t, double> times;
        for (const Report* report : std::views::reverse(history)) {
            const Experiment& run = report->experiment;
            const auto time = metric(*report, "kernel_ns");
            if (run.variant != variant.id || run.kernel || !time || !(*time > 0)) continue;
            const auto numbers = static_cast<double>(run.values[key::columns] * run.values[key::rows]);
            times.emplace(run.values[key::columns], *time / numbers);
        }
        Series line{.label = variant.title, .ink = inks.at(way)};
        for (const auto& [columns, time] : times) {
            line.x.push_back(static_cast<double>(columns));
            line.y.push_back(time);
        }
        if (!times.empty()) figure.series.push_back(std::move(line));
    }
    if (figure.series.empty()) return std::nullopt;
    return Plot{.id = "per_length",
                .title = "Time for each number, by the length of rows",
                .content = std::move(figure),
                .note = "The latest run with each length. Run other lengths to see the lines grow."};
}

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    std::vector<Plot> all;
    const auto add = [&](std::optional<Plot> plot) {
        if (plot) all.push_back(std::move(*plot));
    };
    if (input.report && !input.report->input.empty()) {
        add(row_picture(*input.report));
        add(numbers_picture(*input.report));
        add(curve_picture(*input.report));
        add(online_picture(*input.report));
    }
    // Values that are out of their range have no plan.
    if (input.asked.plan.steps.empty()) return all;
    add(recorded_plot(input, "reads", "How often each number is read", [&](const auto& trace, auto records) {
        return load_counts_of_rows(trace, records, {"x", input.asked.values()[key::columns]});
    }));
    add(who_takes_which(input, "x", "number"));
    add(bytes_picture(input.asked));
    add(length_picture(input.asked, input.history));
    return all;
}

}  // namespace gridstride::lessons::softmax

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "lesson/building_blocks.h"
#include "thread_index/thread_index.h"

namespace gridstride::lessons::thread_index {

namespace {

/// A row of numbers, and behind it those of somebody else.
Figure bars_of(std::span<const std::uint32_t> results, std::size_t count) {
    constexpr std::size_t max_points = 1 << 14;
    Series own{.label = "result", .mark = Mark::bars, .color_role = ColorRole::kernel};
    Series others{
        .label = "somebody else's, overwritten", .mark = Mark::bars, .color_role = ColorRole::wrong};
    for_each_sampled(results.size(), max_points, [&](std::size_t i) {
        Series& series = i < count ? own : others;
        series.x.push_back(static_cast<double>(i));
        series.y.push_back(results[i] == untouched ? 0 : results[i]);
    });
    Figure figure{.x = {.label = "element", .whole_numbers = true}, .y = {.label = "number"}};
    if (!own.y.empty()) figure.series.push_back(std::move(own));
    if (!others.y.empty()) figure.series.push_back(std::move(others));
    if (results.size() > count)
        figure.markers.push_back({static_cast<double>(count) - 0.5, "the array ends"});
    return figure;
}

/// Where nobody wrote it is black.
ArrayRef as_greys(std::span<const std::uint32_t> results, std::size_t count) {
    Array greys(ElementType::u32, count);
    std::ranges::transform(results.first(count), greys.as<std::uint32_t>().begin(),
                           [](std::uint32_t one) { return one == untouched ? 0 : one; });
    return share(std::move(greys));
}

std::optional<Plot> results_picture(const Report& report) {
    const Array* const x = find(report.input, "x");
    const Array* const found = find(report.outputs, "results");
    if (!x || !found || found->count() < x->count()) return std::nullopt;
    const auto results = found->as<std::uint32_t>();
    const std::size_t width = report.experiment.values[key::width];
    Plot plot{.id = "results",
              .title = "What came out",
              .origin = report.computed ? Origin::computed : Origin::measured};
    if (x->count() == width) {
        plot.content = bars_of(results, x->count());
        plot.note = "Where nobody wrote there is no bar.";
        return plot;
    }
    const ArrayRef out = as_greys(results, x->count());
    const auto largest = std::ranges::max(out->as<std::uint32_t>());
    plot.content = Cells{.cell_name = "element",
                         .numbers = {{"x", width, report.input.front().array},
                                     {"results", width, out, 0, std::max<double>(largest, 255)}}};
    plot.note = "Where nobody wrote it is black.";
    return plot;
}

}  // namespace

void pictures(Figures& add, const Run& run) {
    if (add.report()) add.plot(results_picture(*add.report()));
    // Values that are out of their range have no plan.
    if (run.plan.steps.empty()) return;
    const std::uint64_t width = run[key::width], count = width * run[key::height];
    // A row of the picture is one of the cells, while those can be told apart.
    constexpr std::uint64_t widest = 512, else_in_a_row = 128;
    const std::uint64_t columns = count > width && width <= widest ? width : else_in_a_row;
    add.recorded("coverage", "Whose each element is", [&](const auto& trace, auto records) {
        return draw_owners(trace, records, "results", count, columns, "element");
    });
}

}  // namespace gridstride::lessons::thread_index

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <ranges>

#include "base/units.h"
#include "coalescing/coalescing.h"
#include "figures/sector_ruler.h"
#include "lesson/building_blocks.h"
#include "lesson/metrics.h"

namespace gridstride::lessons::coalescing {

namespace {

/// A load of eight lanes with a stride of three.
Plot example() {
    std::array<LaneRead, 8> reads;
    for (std::uint64_t lane = 0; lane < reads.size(); ++lane)
        reads.at(lane) = {lane, lane * 3 * sizeof(float)};
    return {.id = "sectors",
            .title = "Eight lanes that read every third number",
            .origin = Origin::modelled,
            .content = draw_load_sectors("one load", reads),
            .note = "A cell is 4 bytes, a group of eight a sector of 32."};
}

/// Draws the first results.
std::optional<Plot> results_picture(const Report& report) {
    constexpr std::size_t few = 64;
    if (report.outputs.empty() || report.outputs.front().array->empty()) return std::nullopt;
    const std::string& name = report.outputs.front().name;
    const ArrayRef& array = report.outputs.front().array;
    Series bars{.label = name, .mark = Mark::bars, .color_role = ColorRole::kernel};
    for (std::size_t i = 0; i < std::min(few, array->count()); ++i)
        bars.y.push_back(array->number(i));
    return Plot{.id = "results",
                .title = "What came out",
                .origin = report.computed ? Origin::computed : Origin::measured,
                .content = Figure{.x = {.label = name == "norms" ? "row" : "result", .whole_numbers = true},
                                  .y = {.label = "number"},
                                  .series = {std::move(bars)}},
                .note = fmt::format("The first {} of {}.", std::min(few, array->count()),
                                    format_count(array->count()))};
}

/// Draws the latest run at each stride with the current elements, offset and workgroup size.
std::optional<Plot> stride_picture(const Values& values, std::span<const Report* const> history) {
    std::map<std::uint64_t, double> times;
    for (const Report* report : std::views::reverse(history)) {
        const Experiment& run = report->experiment;
        const bool is_like = run.variant == "strided" && !run.kernel &&
                             run.values[key::elements] == values[key::elements] &&
                             run.values[key::offset] == values[key::offset] &&
                             run.values[key::workgroup_size] == values[key::workgroup_size];
        const auto time = metric(*report, "kernel_ns"), results = metric(*report, "results");
        if (is_like && time && *time > 0 && results) times.emplace(run.values[key::stride], *time / *results);
    }
    if (times.empty()) return std::nullopt;
    Series line{.label = "kernel", .color_role = ColorRole::kernel};
    for (const auto& [stride, time] : times) {
        line.x.push_back(static_cast<double>(stride));
        line.y.push_back(time);
    }
    return Plot{
        .id = "per_stride",
        .title = "Time for each number that is taken",
        .content = Figure{.x = {.label = "stride", .scale = AxisScale::logarithmic, .whole_numbers = true},
                          .y = {.label = "time", .unit = "ns", .scale = AxisScale::logarithmic},
                          .series = {std::move(line)}},
        .note = fmt::format("The latest run at each stride.{}",
                            times.size() < 2 ? " Run other strides to see the line grow." : "")};
}

}  // namespace

void pictures(Figures& add, const Run& run) {
    add.plot(example());
    if (add.report()) add.plot(results_picture(*add.report()));
    // Values that are out of range have no plan.
    if (run.plan.steps.empty()) return;
    add.recorded("ruler", "Sectors that the first loads fetch", &draw_first_load_sectors);
    if (run.variant.id == "strided") add.plot(stride_picture(run.values, add.history()));
}

}  // namespace gridstride::lessons::coalescing

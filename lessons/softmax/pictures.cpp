#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/units.h"
#include "lesson/stock.h"
#include "softmax/softmax.h"

namespace gridstride::lessons::softmax {

namespace {

/// The first numbers of the first row, and what came of them.
std::optional<Plot> row_picture(const Report& report) {
    constexpr std::size_t few = 64;
    if (report.outputs.empty() || report.outputs.front().array->empty()) return std::nullopt;
    const auto& [name, array, width] = report.outputs.front();
    const std::uint64_t columns = report.experiment.values[key::columns];
    const std::size_t shown = std::min<std::size_t>({few, array->count(), name == "norms" ? few : columns});
    return Plot{.id = "row",
                .title = name == "norms" ? "The first norms" : "The first row",
                .origin = report.computed ? Origin::computed : Origin::measured,
                .content = Figure{.x = {.label = name == "norms" ? "row" : "column", .whole_numbers = true},
                                  .y = {.label = name == "shares" ? "share" : "number"},
                                  .series = {first_of(*array, shown, name, Mark::bars, Ink::kernel)}},
                .note = fmt::format("The first {} of {}.", shown, format_count(columns))};
}

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    std::vector<Plot> all;
    if (input.report)
        if (std::optional<Plot> plot = row_picture(*input.report)) all.push_back(std::move(*plot));
    return all;
}

}  // namespace gridstride::lessons::softmax

// What a program shows, and how it was made.
#include <fmt/format.h>

#include "base/units.h"
#include "lesson/stock.h"
#include "playground/playground.h"
#include "tensor/pictures.h"

namespace gridstride::lessons::playground {

namespace {

/// Of a tensor with more than two extents the outer ones stand below each other.
std::optional<Plot> results(const Program& program, const Report& report) {
    constexpr std::size_t most = 4;
    Cells cells{.shades = Cells::Shades::viridis};
    std::string ranges;
    for (const std::size_t output : program.all.graph().outputs()) {
        const tensor::Node& node = program.all.graph().nodes()[output];
        const Array* const numbers = find(report.outputs, node.name);
        if (!numbers || numbers->count() != node.elements() || cells.numbers.size() == most) continue;
        cells.numbers.push_back(corner_of(node.name, *numbers, node.shape.empty() ? 1 : node.shape.back()));
        ranges += fmt::format("{}{}, {}: from {} to {}", ranges.empty() ? "" : "; ", node.name,
                              tensor::text_of(node.shape), format_significant(cells.numbers.back().low),
                              format_significant(cells.numbers.back().high));
    }
    if (cells.numbers.empty()) return std::nullopt;
    return Plot{.id = "results",
                .title = "What is shown",
                .origin = report.computed ? Origin::computed : Origin::measured,
                .content = std::move(cells),
                .note = fmt::format("{}. Of large ones a corner. Dark is small, bright large.", ranges)};
}

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    const Prepared& asked = input.asked;
    if (asked.plan.steps.empty()) return {};
    const std::unique_ptr<Program> program = program_of(asked);
    std::vector<Plot> all = tensor::pictures_of(
        {.graph = program->all.graph(), .execution = asked.values()[key::execution]}, input);
    if (input.report)
        if (auto shown = results(*program, *input.report)) all.insert(all.begin(), *std::move(shown));
    return all;
}

}  // namespace gridstride::lessons::playground

// What a program shows, and how it was made.
#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "lesson/stock.h"
#include "playground/playground.h"
#include "tensor/pictures.h"

namespace gridstride::lessons::playground {

namespace {

/// "y, 2 x 3: from -1 to 4": of all its numbers, drawn or not.
std::string range_of(const tensor::Node& node, const Array& numbers) {
    std::string name = fmt::format("{}, {}", node.name, tensor::text_of(node.shape));
    if (numbers.type() != ElementType::f32) return name;
    const FloatSummary all = summary_of(numbers.as<float>());
    if (all.not_numbers > 0)
        return fmt::format("{}: {} of {} are no numbers, drawn in the colour of what is wrong", name,
                           format_count(all.not_numbers), format_count(numbers.count()));
    if (all.smallest == all.largest) return fmt::format("{}: {}", name, format_significant(all.smallest));
    return fmt::format("{}: from {} to {}", name, format_significant(all.smallest),
                       format_significant(all.largest));
}

/// Of a tensor with more than two extents the outer ones stand below each other.
std::optional<Plot> results(const Program& program, const Report& report) {
    constexpr std::size_t most = 6;
    Cells cells{.shades = Cells::Shades::viridis};
    std::vector<std::string> ranges;
    std::size_t left_out = 0;
    for (const std::size_t output : program.all.graph().outputs()) {
        const tensor::Node& node = program.all.graph().nodes()[output];
        const Array* const numbers = find(report.outputs, node.name);
        if (!numbers || numbers->count() != node.elements()) continue;
        if (cells.numbers.size() == most) {
            ++left_out;
            continue;
        }
        cells.numbers.push_back(corner_of(node.name, *numbers, node.shape.empty() ? 1 : node.shape.back()));
        ranges.push_back(range_of(node, *numbers));
    }
    if (cells.numbers.empty()) return std::nullopt;
    std::string note = joined(ranges, "; ");
    if (left_out > 0) note += fmt::format("; {} more are not drawn: show fewer", left_out);
    return Plot{.id = "results",
                .title = "What is shown",
                .origin = report.computed ? Origin::computed : Origin::measured,
                .content = std::move(cells),
                .note = note + ". Of large ones a corner. Dark is small, bright large."};
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

#include "reduction/pictures.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "reduction/plan.h"
#include "reduction/reference.h"
#include "reduction/tree_picture.h"
#include "reduction/ways.h"

namespace gridstride::lessons::reduction {

namespace {

/// Above this, work that a picture needs from the CPU would be felt in the window.
constexpr std::size_t most_numbers_to_recompute = std::size_t{1} << 20;

std::vector<double> numbers_of(const Array& array) {
    std::vector<double> numbers(array.count());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = array.number(i);
    return numbers;
}

/// What the partial sums should have been, to draw beside wrong ones.
std::optional<std::vector<double>> right_partial_sums(const Report& report) {
    const Array* numbers = find(report.input, "numbers");
    if (report.status != Status::mismatch || !numbers || numbers->count() > most_numbers_to_recompute)
        return {};
    const Plan planned = plan(report.values, report.variant, report.device);
    for (const Expected& expected : reference(report.input, report.values, planned))
        if (expected.output == "partial_sums") return numbers_of(*expected.reference);
    return {};
}

Plot partial_sums_picture(const Report& report, const Array& partial_sums) {
    Figure figure;
    figure.x = {.label = "workgroup", .unit = "", .categories = {}, .whole_numbers = true};
    figure.y = {.label = "partial sum", .unit = "", .categories = {}};
    figure.value_labels = true;
    figure.series.push_back({.label = "GPU",
                             .mark = Mark::bars,
                             .ink = Ink::upload,
                             .x = {},
                             .y = numbers_of(partial_sums),
                             .y_low = {},
                             .y_high = {}});
    Plot plot{.id = "partial_sums",
              .title = "Partial sums, one a workgroup",
              .origin = Origin::measured,
              .content = {},
              .note = {}};
    if (auto right = right_partial_sums(report)) {
        figure.series.push_back({.label = "CPU reference",
                                 .mark = Mark::outline_bars,
                                 .ink = Ink::cpu,
                                 .x = {},
                                 .y = std::move(*right),
                                 .y_low = {},
                                 .y_high = {}});
        plot.note = "The outlines are what the sums should be.";
    }
    plot.content = std::move(figure);
    return plot;
}

/// Halves until single numbers are left: the order of a tree.
float sum_of_pairs(std::span<const float> numbers) {
    if (numbers.size() == 1) return numbers[0];
    const std::size_t half = numbers.size() / 2;
    return sum_of_pairs(numbers.first(half)) + sum_of_pairs(numbers.subspan(half));
}

/// The same f32 numbers in two orders on the CPU, and in the GPU's.
std::optional<Plot> order_picture(const Report& report) {
    const Array* given = find(report.input, "numbers");
    const Array* total = find(report.outputs, "total");
    if (!given || given->type() != ElementType::f32 || given->empty() ||
        given->count() > most_numbers_to_recompute || !total || total->empty())
        return std::nullopt;
    const auto numbers = given->as<float>();
    double exact = 0;
    float in_order = 0;
    for (const float number : numbers) {
        exact += number;
        in_order += number;
    }
    const auto error = [&](double sum) { return std::abs(sum - exact); };
    Figure figure;
    figure.x.categories = {"one after another", "as a tree", fmt::format("{} on the GPU", report.variant)};
    figure.y.label = "distance from the sum in double";
    figure.horizontal = true;
    figure.value_labels = true;
    figure.series.push_back({.label = "distance",
                             .mark = Mark::bars,
                             .ink = Ink::series,
                             .x = {},
                             .y = {error(in_order), error(sum_of_pairs(numbers)), error(total->number(0))},
                             .y_low = {},
                             .y_high = {}});
    return Plot{
        .id = "order",
        .title = "What the order of additions costs",
        .origin = Origin::computed,
        .content = std::move(figure),
        .note = "The same numbers, rounded to f32 after each addition. The GPU's own total is measured."};
}

}  // namespace

std::vector<Plot> plots(const PlotInput& input) {
    const auto& [values, variant, limits, report, history] = input;
    std::vector<Plot> all;
    if (report) {
        const Array* partial_sums = find(report->outputs, "partial_sums");
        if (partial_sums && !partial_sums->empty())
            all.push_back(partial_sums_picture(*report, *partial_sums));
    }
    const Plan planned = plan(values, variant, limits);
    const Dispatch& main = main_dispatch(planned);
    const std::uint64_t passes = divide_up(main.elements, main.elements_per_workgroup * main.workgroup_count);
    all.push_back(tree_picture(way_of(variant), main.workgroup_size, main.elements, passes, limits));
    if (report)
        if (auto order = order_picture(*report)) all.push_back(std::move(*order));
    return all;
}

}  // namespace gridstride::lessons::reduction

// What can be seen of a sum: who adds, what was left, and what the order of additions costs.
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "figures/recorded_pictures.h"
#include "lesson/stock.h"
#include "reduction/reduction.h"

namespace gridstride::lessons::reduction {

namespace {

Plot partial_sums_picture(const Report& report, const Array& partial_sums) {
    Plot plot{.id = "partial_sums", .title = "Partial sums, one a workgroup"};
    Figure figure{.x = {.label = "workgroup", .whole_numbers = true},
                  .y = {.label = "partial sum"},
                  .series = {{.label = report.computed ? "sum" : "GPU",
                              .mark = Mark::bars,
                              .ink = Ink::upload,
                              .y = numbers_of(partial_sums)}},
                  .value_labels = true};
    if (const Array* right = find(report.expected, "partial_sums")) {
        // In f32 a sum may be off by the rounding of its additions and be right.
        figure.series.push_back({.label = "CPU reference",
                                 .mark = Mark::outline_bars,
                                 .ink = Ink::cpu,
                                 .y = numbers_of(*right),
                                 .tolerance = right->type() == ElementType::f64 ? 1e-5 : 0.0});
    }
    plot.content = std::move(figure);
    return plot;
}

Plot numbers_picture(const ArrayRef& numbers) {
    return {.id = "numbers",
            .title = "The numbers",
            .origin = Origin::computed,
            .content = Figure{.x = {.label = "element", .whole_numbers = true},
                              .y = {.label = "value"},
                              .series = {{.label = "numbers", .ink = Ink::quiet, .y_array = numbers}}}};
}

/// Halves until single numbers are left: the order of a tree.
float sum_of_pairs(std::span<const float> numbers) {
    if (numbers.size() == 1) return numbers[0];
    const std::size_t half = numbers.size() / 2;
    return sum_of_pairs(numbers.first(half)) + sum_of_pairs(numbers.subspan(half));
}

/// The same f32 numbers in two orders on the CPU, and in the GPU's.
Plot order_picture(const Report& report, std::span<const float> numbers, double total) {
    const double exact = std::accumulate(numbers.begin(), numbers.end(), 0.0);
    const float in_order = std::accumulate(numbers.begin(), numbers.end(), 0.0F);
    const auto error = [&](double sum) { return std::abs(sum - exact); };
    return {
        .id = "order",
        .title = "What the order of additions costs",
        .origin = Origin::computed,
        .content = Figure{.x = {.categories = {"one after another", "as a tree",
                                               fmt::format("{} on the GPU", report.experiment.variant)}},
                          .y = {.label = "distance from the sum in double"},
                          .series = {{.label = "distance",
                                      .mark = Mark::bars,
                                      .y = {error(in_order), error(sum_of_pairs(numbers)), error(total)}}},
                          .horizontal = true,
                          .value_labels = true},
        .note = "The same numbers, rounded to f32 after each addition. The GPU's own total is measured."};
}

/// Of `atomic_global`: all want the total.
Plot contention_picture(const PictureInput& input) {
    const MeetingWords words{.alone = {"adds alone", Ink::kernel},
                             .first = {"adds first", Ink::upload},
                             .later = {"adds after another", Ink::caution},
                             .elsewhere = {"adds nothing", Ink::quiet}};
    return recorded_plot(
        input, "contention", "Who meets at the total, in the first subgroups",
        [words](const auto& trace, auto records) { return meetings_of(trace, records, words); });
}

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    const Prepared& asked = input.asked;
    const Report* const report = input.report;
    const Array* const sums = report ? find(report->outputs, "partial_sums") : nullptr;
    const Array* const total = report ? find(report->outputs, "total") : nullptr;
    const ArrayRef numbers = report && !report->input.empty() ? report->input.front().array : nullptr;
    std::vector<Plot> all;
    if (sums && !sums->empty()) all.push_back(partial_sums_picture(*report, *sums));
    if (!asked.plan.steps.empty()) {
        if (asked.experiment.variant == "atomic_global") all.push_back(contention_picture(input));
        all.push_back(
            recorded_plot(input, "tree", "Who adds in a workgroup",
                          [](const auto& trace, auto records) { return levels_of(trace, records); }));
        all.push_back(recorded_plot(
            input, "passes", "Who takes which number, pass by pass",
            [](const auto& trace, auto records) { return passes_of(trace, records, "numbers", "number"); }));
    }
    // Above this, adding up on the CPU would be felt in the window.
    constexpr std::size_t most_numbers_to_add = std::size_t{1} << 20;
    if (total && !report->computed && !total->empty() && numbers && numbers->type() == ElementType::f32 &&
        !numbers->empty() && numbers->count() <= most_numbers_to_add)
        all.push_back(order_picture(*report, numbers->as<float>(), total->number(0)));
    if (numbers && !numbers->empty()) all.push_back(numbers_picture(numbers));
    return all;
}

}  // namespace gridstride::lessons::reduction

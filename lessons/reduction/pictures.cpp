// What can be seen of a sum: who adds, what was left, and what the order of additions costs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/units.h"
#include "lesson/stock.h"
#include "reduction/reduction.h"

namespace gridstride::lessons::reduction {

namespace {

Plot partial_sums_picture(const Report& report, const Array& partial_sums) {
    Plot plot{.id = "partial_sums", .title = "Partial sums, one a workgroup"};
    Figure figure{
        .x = {.label = "workgroup", .whole_numbers = true},
        .y = {.label = "partial sum"},
        .series = {{.label = "GPU", .mark = Mark::bars, .ink = Ink::upload, .y = numbers_of(partial_sums)}},
        .value_labels = true};
    if (const Array* right = find(report.expected, "partial_sums")) {
        figure.series.push_back(
            {.label = "CPU reference", .mark = Mark::outline_bars, .ink = Ink::cpu, .y = numbers_of(*right)});
        plot.note = "The outlines are what the sums should be.";
    }
    plot.content = std::move(figure);
    return plot;
}

enum Cell : std::uint8_t { idle, adds, is_read };

/// Which invocations of a workgroup add, and whose values they read, level by level.
Cells levels_of(const Way& way, const Dispatch& main, const Limits& limits) {
    const std::uint64_t size = main.workgroup_size(), numbers = main.elements();
    Cells all{.kinds = {{"idle", Ink::quiet}, {"adds", Ink::kernel}, {"its value is read", Ink::upload}},
              .cell_name = "invocation"};
    // Without a note, one that counts who adds.
    const auto add = [&](std::string label, std::string note, std::vector<std::uint8_t> cells) {
        const auto busy = static_cast<std::uint64_t>(std::count(cells.begin(), cells.end(), adds));
        if (note.empty()) note = fmt::format("{} of {} add", format_count(busy), format_count(size));
        all.rows.push_back({std::move(label), std::move(cells), std::move(note)});
    };
    // Every step-th invocation below end, and the one that is so far behind it.
    const auto every = [&](std::uint64_t step, Cell cell, std::uint64_t end, std::uint64_t behind = 0) {
        std::vector<std::uint8_t> cells(size, idle);
        for (std::uint64_t i = 0; i < std::min(end, size); i += step) {
            if (behind > 0) cells[i + behind] = is_read;
            cells[i] = cell;
        }
        return cells;
    };
    unsigned level = 0;
    const auto add_level = [&](std::uint64_t step, std::uint64_t behind, std::uint64_t end) {
        add(fmt::format("level {}", ++level), "", every(step, adds, end, behind));
    };

    if (way.sums_first)
        add("load", fmt::format("up to {} numbers each", format_count(way.per_invocation * main.passes())),
            every(1, adds, divide_up(numbers, way.per_invocation)));
    else if (way.per_invocation > 1)
        // Invocation i also loads number size + i, where there is one.
        add("load", "", every(1, adds, numbers > size ? numbers - size : 0));
    if (way.tree == Tree::none) {
        add("atomic", "", every(1, adds, numbers));
    } else if (way.tree == Tree::neighbours) {
        for (std::uint64_t stride = 1; stride < size; stride *= 2)
            add_level(2 * stride, stride, size - stride);
    } else if (way.tree == Tree::halves) {
        for (std::uint64_t values = size; values > 1; values = (values + 1) / 2)
            add_level(1, (values + 1) / 2, values / 2);
    } else {
        const std::uint64_t width = limits.subgroup_size, count = divide_up(size, width);
        add("subgroups",
            count == 1 ? fmt::format("one subgroup of {}", size)
                       : fmt::format("{} subgroups, up to {} wide", count, width),
            every(1, adds, size));
        if (count == 1) return all;
        add("memory", fmt::format("{} sums stored, one barrier", count), every(width, is_read, size));
        add("first subgroup", "", every(1, adds, std::min(width, count)));
    }
    if (all.rows.empty()) add("level 0", "one invocation: nothing to add", every(1, adds, 0));
    return all;
}

Plot tree_picture(const Way& way, const Dispatch& main, const Limits& limits) {
    Plot plot{.id = "tree",
              .title = "The tree in workgroup 0",
              .origin = Origin::computed,
              .content = levels_of(way, main, limits)};
    if (way.tree == Tree::subgroups) plot.title = "Subgroups in workgroup 0";
    if (way.tree == Tree::none) {
        plot.title = "Workgroup 0: no tree";
        plot.note =
            "All of them add to the same number in global memory, which takes one addition at a time.";
    } else if (way.finishes_itself) {
        plot.note = "The workgroup that is done last does this once more, with the partial sums.";
    } else if (!way.sums_first && main.passes() > 1) {
        plot.note = fmt::format("Workgroup 0 does this {} times, once a tile.", format_count(main.passes()));
    }
    return plot;
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

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    const auto& [asked, report, history] = input;
    const Array* const sums = report ? find(report->outputs, "partial_sums") : nullptr;
    const Array* const total = report ? find(report->outputs, "total") : nullptr;
    const Array* const numbers = report ? find(report->input, "numbers") : nullptr;
    std::vector<Plot> all;
    if (sums && !sums->empty()) all.push_back(partial_sums_picture(*report, *sums));
    if (!asked.plan.steps.empty())
        all.push_back(tree_picture(row_of(ways(), *asked.variant), asked.plan.main(), asked.limits));
    // Above this, adding up on the CPU would be felt in the window.
    constexpr std::size_t most_numbers_to_add = std::size_t{1} << 20;
    if (total && !total->empty() && numbers && numbers->type() == ElementType::f32 && !numbers->empty() &&
        numbers->count() <= most_numbers_to_add)
        all.push_back(order_picture(*report, numbers->as<float>(), total->number(0)));
    return all;
}

}  // namespace gridstride::lessons::reduction

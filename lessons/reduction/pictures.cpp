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

enum Cell : std::uint8_t { idle, adds, is_read };

/// How many subgroups hold one of the marked invocations, where they are filled one after another, as devices
/// do.
std::uint64_t subgroups_with(Cell cell, const std::vector<std::uint8_t>& cells, std::uint64_t width) {
    std::uint64_t found = 0;
    for (std::size_t first = 0; first < cells.size(); first += width) {
        const std::size_t end = std::min<std::size_t>(first + width, cells.size());
        for (std::size_t i = first; i < end; ++i)
            if (cells[i] == cell) {
                ++found;
                break;
            }
    }
    return found;
}

/// Which invocations of a workgroup add, and whose values they read, level by level.
Cells levels_of(const Way& way, const Dispatch& main, const Limits& limits) {
    const std::uint64_t size = main.workgroup_size(), numbers = main.elements();
    const std::uint64_t width = std::max<std::uint64_t>(limits.subgroup_size, 1);
    Cells all{.kinds = {{"idle", Ink::quiet}, {"adds", Ink::kernel}, {"its value is read", Ink::upload}},
              .cell_name = "invocation"};
    // Without a note, one that counts who adds.
    const auto add = [&](std::string label, std::string note, std::vector<std::uint8_t> cells) {
        const auto busy = static_cast<std::uint64_t>(std::count(cells.begin(), cells.end(), adds));
        const std::uint64_t subgroups = subgroups_with(adds, cells, width);
        if (note.empty())
            note = fmt::format("{} of {} add, in {} subgroup{}", format_count(busy), format_count(size),
                               format_count(subgroups), subgroups == 1 ? "" : "s");
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
    } else if (way.tree == Tree::packed) {
        // Whose values are read is left out: an invocation may add and have its own value read at once.
        for (std::uint64_t stride = 1; stride < size; stride *= 2)
            add_level(1, 0, divide_up(size - stride, 2 * stride));
    } else if (way.tree == Tree::halves) {
        for (std::uint64_t values = size; values > 1; values = (values + 1) / 2)
            add_level(1, (values + 1) / 2, values / 2);
    } else {
        const std::uint64_t count = divide_up(size, width);
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
        plot.note = "All of them add to the same number in global memory.";
    } else if (way.tree == Tree::packed) {
        plot.note = "Invocation i adds value 2 × stride × i + stride to value 2 × stride × i.";
    } else if (way.finishes_itself) {
        plot.note = "The workgroup that is done last does this once more, with the partial sums.";
    } else if (!way.sums_first && main.passes() > 1) {
        plot.note = fmt::format("Workgroup 0 does this {} times, once a tile.", format_count(main.passes()));
    }
    return plot;
}

/// Which numbers the invocations take: a row for each pass of the grid, a cell for each invocation or, of a
/// large grid, for each workgroup.
Plot passes_picture(const Way& way, const Dispatch& main) {
    constexpr std::uint64_t rows_shown = 12, cells_shown = 256;
    enum Taker : std::uint8_t { nobody, first_workgroup, odd_workgroup, even_workgroup };
    const std::uint64_t size = main.workgroup_size(), groups = main.workgroup_count();
    const std::uint64_t numbers = main.elements(), tile = main.elements_per_workgroup();
    const std::uint64_t passes = main.passes();
    const bool by_invocation = groups * size <= cells_shown;
    // How far apart the first numbers of two invocations of a workgroup are.
    const std::uint64_t apart = way.in_quads() ? 4 : 1;
    Cells cells{.kinds = {{"no number left", Ink::quiet, Cells::Fill::outlined},
                          {"workgroup 0", Ink::kernel},
                          {"odd workgroups", Ink::upload},
                          {"even workgroups", Ink::download}},
                .cell_name = by_invocation ? "invocation of the grid" : "workgroup"};
    const auto add = [&](std::uint64_t pass) {
        const std::uint64_t begin = pass * groups * tile, end = std::min(begin + groups * tile, numbers);
        std::vector<std::uint8_t> takers(by_invocation ? groups * size : groups, nobody);
        for (std::uint64_t cell = 0; cell < takers.size(); ++cell) {
            const std::uint64_t group = by_invocation ? cell / size : cell;
            const std::uint64_t lane = by_invocation ? cell % size : 0;
            if (begin + group * tile + lane * apart < numbers)
                takers[cell] = group == 0 ? first_workgroup : group % 2 == 1 ? odd_workgroup : even_workgroup;
        }
        cells.rows.push_back({fmt::format("pass {}", format_count(pass + 1)), std::move(takers),
                              fmt::format("numbers {} to {}", format_count(begin), format_count(end - 1))});
    };
    // Of many the first ones and the last.
    const std::uint64_t first_rows = passes <= rows_shown ? passes : rows_shown - 1;
    for (std::uint64_t pass = 0; pass < first_rows; ++pass)
        add(pass);
    if (passes > first_rows) add(passes - 1);
    std::string note = fmt::format("A column is one {}, a row one pass of the grid over {} numbers.",
                                   by_invocation ? "invocation" : "workgroup", format_count(groups * tile));
    if (passes > rows_shown)
        note += fmt::format(" {} passes are left out before the last.", format_count(passes - rows_shown));
    return {.id = "passes",
            .title = "Who takes which number, pass by pass",
            .origin = Origin::computed,
            .content = std::move(cells),
            .note = std::move(note)};
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
    if (!asked.plan.steps.empty()) {
        const Way& way = row_of(ways(), *asked.variant);
        all.push_back(tree_picture(way, asked.plan.main(), asked.limits));
        all.push_back(passes_picture(way, asked.plan.main()));
    }
    // Above this, adding up on the CPU would be felt in the window.
    constexpr std::size_t most_numbers_to_add = std::size_t{1} << 20;
    if (total && !report->computed && !total->empty() && numbers && numbers->type() == ElementType::f32 &&
        !numbers->empty() && numbers->count() <= most_numbers_to_add)
        all.push_back(order_picture(*report, numbers->as<float>(), total->number(0)));
    return all;
}

}  // namespace gridstride::lessons::reduction

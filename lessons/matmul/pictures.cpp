#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/units.h"
#include "figures/load_counts.h"
#include "lesson/stock.h"
#include "matmul/matmul.h"

namespace gridstride::lessons::matmul {

namespace {

/// Three small matrices beside one another, and what one result, or a tile of them, needs.
Plot needs(const Prepared& asked) {
    constexpr std::uint64_t side = 8;
    struct Range {
        std::uint64_t first, end;
    };
    enum Cell : std::uint8_t { unneeded, of_a, of_b, of_c, gap };
    const bool is_tile = !asked.plan.steps.empty() && asked.plan.main().shared_bytes > 0;
    const Range rows = is_tile ? Range{4, 8} : Range{5, 6}, columns = is_tile ? Range{0, 4} : Range{2, 3};
    const auto is_in = [](std::uint64_t i, const Range& range) { return i >= range.first && i < range.end; };
    Cells cells{.kinds = {{"not needed", Ink::quiet, Cells::Fill::outlined},
                          {"a: rows of the results", Ink::kernel},
                          {"b: columns of the results", Ink::upload},
                          {is_tile ? "c: the results" : "c: the result", Ink::cpu}},
                .cell_name = "number"};
    for (std::uint64_t row = 0; row < side; ++row) {
        Cells::Row& made = cells.rows.emplace_back();
        const auto add = [&](bool is_needed, Cell as) { made.kinds.push_back(is_needed ? as : unneeded); };
        for (std::uint64_t p = 0; p < side; ++p)
            add(is_in(row, rows), of_a);
        made.kinds.push_back(gap);
        for (std::uint64_t column = 0; column < side; ++column)
            add(is_in(column, columns), of_b);
        made.kinds.push_back(gap);
        for (std::uint64_t column = 0; column < side; ++column)
            add(is_in(row, rows) && is_in(column, columns), of_c);
    }
    return {.id = "needs",
            .title = is_tile ? "What a tile of the product needs" : "What one number of the product needs",
            .origin = Origin::computed,
            .content = std::move(cells),
            .note = "From left to right a, b and c, as small ones of 8 rows and columns."};
}

/// Which results the first subgroups of a workgroup leave.
Drawn subgroups(const trace::Trace& trace, std::span<const trace::Record> records, const Values& values) {
    constexpr std::uint64_t most = 64;
    const std::uint64_t columns = values[key::n], shown_rows = std::min(values[key::m], most),
                        shown = std::min(columns, most);
    enum Cell : std::uint8_t { first, second, further, anothers };
    Cells cells{.kinds = {{"the first subgroup's", Ink::kernel},
                          {"the second's", Ink::upload},
                          {"those of this workgroup's others", Ink::quiet},
                          {"of other workgroups", Ink::quiet, Cells::Fill::outlined}},
                .cell_name = "result"};
    std::set<std::uint64_t> rows, across;  // of the first subgroup
    std::vector<std::uint8_t> owners(shown_rows * shown, anothers);
    for (const trace::Record& record : records) {
        const trace::Site& site = trace.sites[record.site];
        const bool leaves = site.kind == trace::SiteKind::store && site.space == trace::Space::buffer &&
                            record.workgroup == trace.first_workgroup && record.outside == 0;
        if (!leaves) continue;
        for (std::uint64_t byte = record.offset; byte < record.offset + site.bytes; byte += sizeof(float)) {
            const std::uint64_t row = byte / sizeof(float) / columns, column = byte / sizeof(float) % columns;
            if (row < shown_rows && column < shown)
                owners[row * shown + column] =
                    static_cast<std::uint8_t>(std::min<unsigned>(record.subgroup, further));
            if (record.subgroup != 0) continue;
            rows.insert(row);
            across.insert(column);
        }
    }
    for (std::uint64_t row = 0; row < shown_rows; ++row)
        cells.rows.push_back({.kinds = {owners.begin() + static_cast<std::ptrdiff_t>(row * shown),
                                        owners.begin() + static_cast<std::ptrdiff_t>((row + 1) * shown)}});
    return {without_unused_kinds(std::move(cells)),
            fmt::format(
                "The corner of c. The first subgroup's results stand in {} and {}: so many numbers of a and "
                "of b it needs for one place of k.",
                counted(rows.size(), "row"), counted(across.size(), "column"))};
}

/// Dark to bright from the largest magnitude below 0 to that above.
Cells::Numbers around_zero(const std::string& label, const Array& numbers, std::uint64_t pitch) {
    Cells::Numbers corner = corner_of(label, numbers, pitch);
    corner.high = std::max(std::abs(corner.low), std::abs(corner.high));
    corner.low = -corner.high;
    return corner;
}

std::optional<Plot> matrices(const Prepared& asked, const Report& report) {
    const Array* const c = find(report.outputs, "c");
    const Values& values = asked.values();
    if (!c || c->empty() || report.input.empty()) return std::nullopt;
    Cells cells{.shades = Cells::Shades::viridis};
    cells.numbers = {around_zero("a", get(report.input, "a"), view_of_a(values).pitch()),
                     around_zero("b", get(report.input, "b"), view_of_b(values).pitch()),
                     around_zero("c", *c, values[key::n])};
    return Plot{.id = "matrices",
                .title = "The two factors and their product",
                .origin = report.computed ? Origin::computed : Origin::measured,
                .content = std::move(cells),
                .note = "As they lie in memory, of large ones a corner. Bright is positive, dark negative."};
}

Drawn reuse(const trace::Trace& trace, std::span<const trace::Record> records, const Values& values) {
    const std::array<CountedBuffer, 2> factors{
        {{"a", view_of_a(values).pitch()}, {"b", view_of_b(values).pitch()}}};
    return load_counts_of(trace, records, factors);
}

/// The best run of each variant with the bench's m, n, k and what is transposed.
std::optional<Plot> ladder(const PictureInput& input) {
    const Values& values = input.asked.values();
    std::map<std::string_view, double> rates;
    double ceiling = 0;
    const auto consider = [&](const Report* run) {
        if (!run || run->operations_per_second() <= 0 || run->experiment.kernel) return;
        const Values& of = run->experiment.values;
        for (const auto& key : {key::m, key::n, key::k})
            if (of[key] != values[key]) return;
        if (of[key::transposed] != values[key::transposed]) return;
        double& best = rates[run->experiment.variant];
        best = std::max(best, run->operations_per_second() / 1e9);
        if (run->ceilings) ceiling = run->ceilings->operations_per_second / 1e9;
    };
    std::ranges::for_each(input.history, consider);
    consider(input.report);
    if (rates.empty()) return std::nullopt;
    Figure figure{.x = {.label = "variant"},
                  .y = {.label = "rate", .unit = "GFLOP/s"},
                  .horizontal = true,
                  .value_labels = true};
    Series bars{.mark = Mark::bars, .ink = Ink::kernel};
    for (const Way& way : ways()) {
        const auto rate = rates.find(way.id);
        if (rate == rates.end()) continue;
        figure.x.categories.push_back(way.id);
        bars.y.push_back(rate->second);
    }
    figure.series.push_back(std::move(bars));
    if (ceiling > 0)
        figure.markers.push_back({.x = ceiling, .label = "this device's multiply-adds", .on_y = true});
    std::string note = "The best run of each variant at this size.";
    if (rates.size() < ways().size()) note += " Those that are missing have not run yet.";
    if (ceiling > 0)
        note += fmt::format(" Dashed: what this device's multiply-adds come to, {} GFLOP/s.",
                            format_significant(ceiling));
    return Plot{.id = "ladder",
                .title = "Operations a second",
                .content = std::move(figure),
                .note = std::move(note)};
}

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    std::vector<Plot> all;
    const auto add = [&](std::optional<Plot> plot) {
        if (plot) all.push_back(std::move(*plot));
    };
    all.push_back(needs(input.asked));
    if (input.report) add(matrices(input.asked, *input.report));
    // Values that are out of their range have no plan.
    if (input.asked.plan.steps.empty()) return all;
    add(recorded_plot(
        input, "reuse", "How often each number is fetched",
        [&](const auto& trace, auto records) { return reuse(trace, records, input.asked.values()); }));
    add(recorded_plot(
        input, "subgroups", "Where the results of each subgroup lie",
        [&](const auto& trace, auto records) { return subgroups(trace, records, input.asked.values()); }));
    add(ladder(input));
    return all;
}

}  // namespace gridstride::lessons::matmul

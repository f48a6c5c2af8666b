#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/units.h"
#include "figures/address_accesses.h"
#include "lesson/building_blocks.h"
#include "race_condition/race_condition.h"

namespace gridstride::lessons::race_condition {

namespace {

Plot one_lost() {
    const AddressAccess additions[] = {
        {"A", "41", "42"}, {"B", "41", "42"}, {"C", "42", "43"}, {"D", "43", "44"}};
    return {.id = "one_lost",
            .title = "Four additions, and one of them is lost",
            .origin = Origin::modelled,
            .content = draw_accesses(additions),
            .note = "A and B both read 41, and both write 42."};
}

/// When A and B, the first two invocations, took their three steps.
std::optional<Plot> moments_picture(const Report& report) {
    const Array* const found = find(report.outputs, "moments");
    if (!found || found->count() != 7) return std::nullopt;
    const auto moments = found->as<std::uint32_t>().subspan(1);
    enum Cell : std::uint8_t { waits, reads, adds, writes };
    Cells cells{.kinds = {{"", ColorRole::quiet},
                          {"reads the counter", ColorRole::upload},
                          {"adds 1", ColorRole::cpu},
                          {"writes it", ColorRole::kernel}},
                .cell_name = "moment"};
    for (std::size_t invocation = 0; invocation < 2; ++invocation) {
        Cells::Row row{.label = invocation == 0 ? "A" : "B", .kinds = std::vector<std::uint8_t>(6, waits)};
        for (std::size_t step = 0; step < 3; ++step)
            if (const std::uint32_t moment = moments[3 * invocation + step]; moment < row.kinds.size())
                row.kinds[moment] = static_cast<std::uint8_t>(reads + step);
        cells.rows.push_back(std::move(row));
    }
    return Plot{.id = "moments",
                .title = "Two invocations, moment by moment",
                .content = std::move(cells),
                .note = "A column is a moment. Each took a number right behind each of its steps."};
}

/// What came out of the runs.
std::optional<Plot> distribution_picture(const Report& report) {
    const Array* const counts = find(report.outputs, "counts");
    if (!counts || counts->empty()) return std::nullopt;
    constexpr double max_bins = 48;
    const std::vector<double> numbers = sample_numbers(*counts);
    const auto [min_value, max_value] = std::ranges::minmax(numbers);
    const auto all = static_cast<double>(report.experiment.values[key::elements]);
    // As far as what should have come out; a kernel of the student's own may count further.
    const double reach = std::max(all, max_value) - min_value;
    const double width = std::max(1.0, std::ceil((reach + 1) / max_bins));
    const auto bins = static_cast<std::size_t>(reach / width) + 1;
    Series bars = make_histogram(numbers, min_value - 0.5, width, bins);
    bars.label = "runs";
    bars.mark = Mark::bars;
    bars.color_role = ColorRole::kernel;
    return Plot{
        .id = "distribution",
        .title = numbers.size() > 1 ? "What came out of the runs" : "What came out",
        .origin = report.computed ? Origin::computed : Origin::measured,
        .content =
            Figure{.x = {.label = "count"},
                   .y = {.label = "runs", .whole_numbers = true},
                   .series = {std::move(bars)},
                   .markers = {{all, fmt::format("all {}",
                                                 format_count(report.experiment.values[key::elements]))}}},
        .note = fmt::format("{}, from {} to {}.", counted(numbers.size(), "run"),
                            format_count(static_cast<std::uint64_t>(min_value)),
                            format_count(static_cast<std::uint64_t>(max_value)))};
}

/// The first numbers, what became of them, and what should have.
std::optional<Plot> row_picture(const Report& report) {
    constexpr std::size_t few = 48;
    const Array* const before = find(report.input, "numbers");
    const Array* const after = find(report.outputs, "smooth_numbers");
    const Array* const right = report.correct_values("smooth_numbers");
    if (!before || !after || after->empty()) return std::nullopt;
    Figure figure{.x = {.label = "element", .whole_numbers = true}, .y = {.label = "number"}};
    figure.series.push_back(first_numbers(*after, few, "smoothed", Mark::bars, ColorRole::kernel));
    if (right)
        figure.series.push_back(first_numbers(*right, few, "right", Mark::outline_bars, ColorRole::right));
    figure.series.push_back(first_numbers(*before, few, "before", Mark::scatter, ColorRole::upload));
    return Plot{.id = "row",
                .title = "A row of numbers, smoothed",
                .origin = report.computed ? Origin::computed : Origin::measured,
                .content = std::move(figure),
                .note = fmt::format("The first {} of {}.", std::min(few, after->count()),
                                    format_count(after->count()))};
}

}  // namespace

void pictures(Figures& add, const Run& run) {
    add.plot(one_lost());
    if (const Report* const report = add.report()) {
        add.plot(distribution_picture(*report));
        add.plot(moments_picture(*report));
        add.plot(row_picture(*report));
    }
    // Values that are out of their range have no plan.
    if (!run.plan.steps.empty() && run.plan.main_output == "counts")
        add.recorded("staff", "Who read and wrote the counter", draw_address_accesses("counts"));
}

}  // namespace gridstride::lessons::race_condition

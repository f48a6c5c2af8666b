#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/units.h"
#include "lesson/building_blocks.h"
#include "race_condition/race_condition.h"

namespace gridstride::lessons::race_condition {

namespace {

// A counter as a staff: who read and wrote what, one access after another.

struct Addition {
    std::string invocation;
    std::uint32_t value_read = 0;  ///< and one more is written
};

/// Those that saw the same stand together: first they all read, then they all write. That explains what was
/// seen, whatever the order was.
Cells staff_of(std::vector<Addition> all) {
    enum Cell : std::uint8_t { nothing, reads, writes, together };
    Cells cells{.kinds = {{"", ColorRole::quiet, Cells::Fill::empty},
                          {"reads", ColorRole::upload},
                          {"writes one more", ColorRole::kernel},
                          {"with others, and all but one are lost", ColorRole::wrong}},
                .rows = {{.label = "reads"}, {.label = "writes"}},
                .cell_name = "access"};
    std::ranges::stable_sort(all, {}, &Addition::value_read);
    const auto add = [&](Cell cell, bool alone, const std::string& invocation, std::uint32_t number) {
        for (Cells::Row& row : cells.rows) {
            const bool is_here = &row == &cells.rows[cell - reads];
            row.kinds.push_back(!is_here ? nothing : alone ? cell : together);
            row.cell_texts.push_back(is_here ? std::to_string(number) : "");
            row.hover_texts.push_back(is_here ? fmt::format("{} {} {}", invocation, row.label, number) : "");
        }
    };
    for (auto first = all.begin(); first != all.end();) {
        const auto end = std::find_if(
            first, all.end(), [&](const Addition& one) { return one.value_read != first->value_read; });
        const bool alone = end - first == 1;
        for (auto one = first; one != end; ++one)
            add(reads, alone, one->invocation, one->value_read);
        for (auto one = first; one != end; ++one)
            add(writes, alone, one->invocation, one->value_read + 1);
        first = end;
    }
    return cells;
}

Plot one_lost() {
    return {.id = "one_lost",
            .title = "Four additions, and one of them is lost",
            .origin = Origin::modelled,
            .content = staff_of({{"A", 41}, {"B", 41}, {"C", 42}, {"D", 43}}),
            .note = "A and B both read 41, and both write 42."};
}

/// The first additions of what was recorded, by what they saw.
TraceDrawing recorded_staff(const trace::Trace& trace, std::span<const trace::Record> records) {
    constexpr std::size_t max_additions = 12;
    std::vector<Addition> all;
    std::map<std::uint32_t, std::size_t> counts_by_value;  // how many saw this
    for (const trace::Record& record : records) {
        const trace::Site& site = trace.sites[record.site];
        if (site.space != trace::MemorySpace::buffer || trace.buffers[site.binding].name != "counts" ||
            site.kind == trace::SiteKind::store)
            continue;
        const std::string where = trace.grid.product() > 1
                                      ? fmt::format(" of workgroup {}", format_count(record.workgroup))
                                      : std::string();
        all.push_back({fmt::format("invocation {}{}", record.invocation, where), record.value[0]});
        ++counts_by_value[record.value[0]];
    }
    if (all.empty()) return {};
    std::size_t together = 0;
    for (const auto& [number, times] : counts_by_value)
        together = std::max(together, times);
    TraceDrawing drawn;
    drawn.note = together > 1 ? fmt::format(
                                    "Up to {} saw the same number. An order that explains what was "
                                    "recorded, not the only one.",
                                    format_count(together))
                              : "Nobody saw what another saw.";
    if (all.size() > max_additions) {
        std::ranges::stable_sort(all, {}, &Addition::value_read);
        drawn.note +=
            fmt::format(" These are the first {} of {} additions.", max_additions, format_count(all.size()));
        all.resize(max_additions);
    }
    drawn.content = staff_of(std::move(all));
    return drawn;
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
        add.recorded("staff", "Who read and wrote the counter", &recorded_staff);
}

}  // namespace gridstride::lessons::race_condition

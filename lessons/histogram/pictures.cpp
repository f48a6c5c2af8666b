#include "histogram/pictures.h"

#include <fmt/format.h>

#include <map>

#include "base/strict_math.h"
#include "base/units.h"
#include "histogram/bins.h"
#include "histogram/contention_picture.h"
#include "histogram/reference.h"
#include "histogram/ways.h"

namespace gridstride::lessons::histogram {

namespace {

/// Above this, work that a picture needs from the CPU would be felt in the window.
constexpr std::size_t most_numbers_to_recount = std::size_t{1} << 20;

std::vector<double> numbers_of(const Array& array) {
    std::vector<double> numbers(array.count());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        numbers[i] = array.number(i);
    return numbers;
}

/// The CPU's counts of a run. A run that was judged exactly and right has them already; null when they would
/// take too long.
ArrayRef cpu_counts(const Report& report, const ArrayRef& gpu_counts) {
    if (report.status == Status::ok && way_of(report.variant) != Way::race) return gpu_counts;
    const Array* numbers = find(report.input, "values");
    if (!numbers || numbers->count() > most_numbers_to_recount) return nullptr;
    return std::make_shared<const Array>(true_counts(numbers->as<float>(), bins_of(report.values)));
}

std::uint64_t whole_fact(const Report& report, std::string_view id) {
    return static_cast<std::uint64_t>(metric(report, id).value_or(0));
}

Series bars(std::string label, Mark mark, Ink ink, const Bins& bins, std::vector<double> heights) {
    return {.label = std::move(label), .mark = mark, .ink = ink, .x = centres(bins), .y = std::move(heights)};
}

Axis bins_axis() {
    return {.label = "value", .unit = "", .categories = {}};
}

Plot counts_picture(const Report& report, const Array& counts, const Array* truth) {
    const Bins bins = bins_of(report.values);
    Figure figure;
    figure.x = bins_axis();
    figure.y = {.label = "count", .unit = "", .categories = {}};
    figure.value_labels = bins.count <= 20;
    figure.series.push_back(bars("GPU", Mark::bars, Ink::upload, bins, numbers_of(counts)));
    if (truth) figure.series.push_back(bars("CPU", Mark::outline_bars, Ink::cpu, bins, numbers_of(*truth)));

    Plot plot{.id = "counts",
              .title = fmt::format("Counts, {} bins", format_count(bins.count)),
              .origin = Origin::measured,
              .content = std::move(figure),
              .note = {}};
    const std::uint64_t elements = report.values[key::elements];
    const std::uint64_t ignored = whole_fact(report, "ignored");
    if (ignored == elements)
        plot.note = "Every number lies outside the range and is ignored. Set range_min and range_max.";
    else if (ignored > 0)
        plot.note = fmt::format("{} of {} numbers lie outside the range and are ignored.",
                                format_count(ignored), format_count(elements));
    return plot;
}

Plot lost_picture(const Report& report, const Array& counts, const Array& truth) {
    const Bins bins = bins_of(report.values);
    std::vector<double> lost(bins.count);
    for (std::size_t i = 0; i < lost.size(); ++i)
        lost[i] = truth.number(i) - counts.number(i);
    Figure figure;
    figure.x = bins_axis();
    figure.y = {.label = "lost counts", .unit = "", .categories = {}};
    figure.value_labels = bins.count <= 20;
    figure.series.push_back(bars("lost", Mark::bars, Ink::wrong, bins, std::move(lost)));
    return {.id = "lost",
            .title = "Lost counts, bin by bin",
            .origin = Origin::measured,
            .content = std::move(figure),
            .note = fmt::format("{} of {} numbers were not counted in this run.",
                                format_count(whole_fact(report, "lost")),
                                format_count(report.values[key::elements]))};
}

/// Whether two runs differ in nothing that matters for their time but the spread and the variant.
bool alike_but_for_spread(const Values& a, const Values& b) {
    for (const auto& [id, value] : a.entries())
        if (id != key::spread.id && id != key::seed.id && !(b.at(id) == value)) return false;
    return true;
}

std::optional<Plot> spread_picture(const PlotInput& input) {
    std::map<std::string, std::map<double, const Report*>> latest;  // by variant, then spread
    for (const Report* run : input.history)
        if (run->input_name.empty() && !run->timings.kernel.samples.empty() &&
            alike_but_for_spread(input.values, run->values))
            latest[run->variant][run->values[key::spread]] = run;

    Figure figure;
    figure.x = {.label = "spread", .unit = "", .scale = AxisScale::logarithmic, .categories = {}};
    figure.y = {.label = "kernel", .unit = "ns", .scale = AxisScale::logarithmic, .categories = {}};
    bool any_line = false;
    for (const Variant& variant : variants()) {
        const auto found = latest.find(variant.id);
        if (found == latest.end()) continue;
        Series series{.label = variant.id, .mark = found->second.size() > 1 ? Mark::line : Mark::scatter};
        for (const auto& [spread, run] : found->second) {
            series.x.push_back(spread);
            series.y.push_back(run->timings.kernel.summary().median);
        }
        any_line |= series.mark == Mark::line;
        figure.series.push_back(std::move(series));
    }
    if (!any_line) return std::nullopt;
    return Plot{
        .id = "time_against_spread",
        .title = "Kernel time against spread",
        .origin = Origin::measured,
        .content = std::move(figure),
        .note = "From the runs so far that differ from the bench in the spread and the variant alone."};
}

/// The first of the numbers that the bench would count: of the user's file as last run, or made.
std::vector<float> first_numbers(const PlotInput& input) {
    const std::uint64_t wanted =
        std::min<std::uint64_t>(contention_numbers(input.limits), input.values[key::elements]);
    if (input.report && !input.report->input_name.empty()) {
        if (const Array* given = find(input.report->input, "values")) {
            const auto numbers = given->as<float>().first(std::min<std::size_t>(wanted, given->count()));
            return {numbers.begin(), numbers.end()};
        }
    }
    std::vector<float> numbers(wanted);
    fill_normal_f32(numbers, input.values[key::seed], 0, 0.0, input.values[key::spread]);
    return numbers;
}

}  // namespace

std::vector<Plot> plots(const PlotInput& input) {
    std::vector<Plot> all;
    const ArrayRef counts = [&]() -> ArrayRef {
        if (input.report)
            for (const NamedArray& output : input.report->outputs)
                if (output.name == "counts") return output.array;
        return nullptr;
    }();
    if (counts) {
        const ArrayRef truth = cpu_counts(*input.report, counts);
        all.push_back(counts_picture(*input.report, *counts, truth.get()));
        if (truth && way_of(input.report->variant) == Way::race)
            all.push_back(lost_picture(*input.report, *counts, *truth));
    }
    const Bins bins = bins_of(input.values);
    all.push_back(contention_picture(first_numbers(input), bins, way_of(input.variant),
                                     input.values[key::workgroup_size], input.limits));
    if (auto spread = spread_picture(input)) all.push_back(std::move(*spread));
    return all;
}

}  // namespace gridstride::lessons::histogram

// The pictures: which number falls where, how a count is lost, who meets in a bin, and what that costs.
#include <fmt/format.h>

#include <map>

#include "base/units.h"
#include "figures/recorded_pictures.h"
#include "histogram/histogram.h"
#include "lesson/stock.h"

namespace gridstride::lessons::histogram {

namespace {

/// A height for each bin, in each series.
Figure over_bins(const Bins& bins, std::string what, std::vector<Series> heights) {
    std::vector<double> centres(bins.count);
    for (std::size_t i = 0; i < centres.size(); ++i)
        centres[i] = bins.min + (static_cast<double>(i) + 0.5) * (double{bins.max} - bins.min) / bins.count;
    for (Series& series : heights)
        series.x = centres;
    return {.x = {.label = "value"},
            .y = {.label = std::move(what)},
            .series = std::move(heights),
            .value_labels = bins.count <= 20};
}

Plot counts_picture(const Report& report) {
    const Bins bins = bins_of(report.experiment.values);
    const std::uint64_t elements = report.experiment.values[key::elements];
    const std::uint64_t ignored = get(report.outputs, "ignored").as<std::uint32_t>()[0];
    std::string note;
    if (ignored == elements)
        note = "Every number lies outside the range and is ignored. Set range_min and range_max.";
    else if (ignored > 0)
        note = fmt::format("{} of {} numbers lie outside the range and are ignored.", format_count(ignored),
                           format_count(elements));
    const std::vector<double> counts = numbers_of(get(report.outputs, "counts"));
    std::vector<Series> heights = {{.label = "GPU", .mark = Mark::bars, .ink = Ink::upload, .y = counts}};
    if (report.computed)
        heights.front().label = "count";
    else
        heights.push_back({.label = "CPU",
                           .mark = Mark::outline_bars,
                           .ink = Ink::cpu,
                           .y = numbers_of(*report.right("counts"))});
    return {.id = "counts",
            .title = fmt::format("Counts, {} bins", format_count(bins.count)),
            .content = over_bins(bins, "count", std::move(heights)),
            .note = std::move(note)};
}

Plot lost_picture(const Report& report) {
    std::vector<double> lost = numbers_of(*report.right("counts"));
    for (std::size_t i = 0; i < lost.size(); ++i)
        lost[i] -= get(report.outputs, "counts").number(i);
    const auto all_lost = static_cast<std::uint64_t>(metric(report, "lost").value_or(0));
    return {.id = "lost",
            .title = "Lost counts, bin by bin",
            .content = over_bins(bins_of(report.experiment.values), "lost counts",
                                 {{.label = "lost", .mark = Mark::bars, .ink = Ink::wrong, .y = lost}}),
            .note = fmt::format("{} of {} numbers were not counted in this run.", format_count(all_lost),
                                format_count(report.experiment.values[key::elements]))};
}

/// The person's own numbers; else the first `most` of the lesson's.
ArrayRef first_numbers(const Prepared& asked, std::uint64_t most) {
    if (asked.experiment.input.numbers) return asked.experiment.input.numbers;
    const Values& values = asked.values();
    return share(
        normal_f32(std::min(most, values[key::elements]), values[key::seed], 0, values[key::spread]));
}

/// Counts of the numbers [begin, end), as far as there are that many.
Series counting(std::string label, Mark mark, const Array& numbers, std::size_t begin, std::size_t end,
                const Bins& bins) {
    Series series{.label = std::move(label), .mark = mark, .y = std::vector<double>(bins.count)};
    for (std::size_t i = begin; i < std::min(end, numbers.count()); ++i)
        if (const auto bin = bin_of(static_cast<float>(numbers.number(i)), bins)) ++series.y[*bin];
    return series;
}

Plot first_numbers_picture(const Prepared& asked) {
    constexpr std::uint64_t most = 1000;
    const Bins bins = bins_of(asked.values());
    const ArrayRef numbers = first_numbers(asked, most);
    const std::size_t count = std::min<std::size_t>(most, numbers->count());
    return {.id = "first_numbers",
            .title =
                fmt::format("The first {} numbers in {} bins", format_count(count), format_count(bins.count)),
            .origin = Origin::computed,
            .content = over_bins(bins, "count", {counting("count", Mark::bars, *numbers, 0, count, bins)})};
}

/// What each of the first workgroups counts before any of them goes on to its next numbers.
Plot own_counts_picture(const Prepared& asked) {
    constexpr std::uint64_t most_workgroups = 4;
    const Dispatch& launch = asked.plan.main();
    const std::uint64_t tile = launch.elements_per_workgroup();
    const std::uint64_t workgroups =
        std::min({most_workgroups, launch.workgroup_count(), divide_up(launch.elements(), tile)});
    const Bins bins = bins_of(asked.values());
    const ArrayRef numbers = first_numbers(asked, workgroups * tile);
    std::vector<Series> own;
    for (std::uint64_t w = 0; w < workgroups; ++w)
        own.push_back(counting(fmt::format("workgroup {}", w), Mark::stacked_bars, *numbers, w * tile,
                               (w + 1) * tile, bins));
    return {
        .id = "own_counts",
        .title = fmt::format("What the first {} counted", counted(workgroups, "workgroup")),
        .origin = Origin::computed,
        .content = over_bins(bins, "count", std::move(own)),
        .note = fmt::format("Each has counted its first {} numbers, in its own memory.", format_count(tile))};
}

/// Two invocations that add to one count, 41.
Plot two_additions_picture() {
    enum Step : std::uint8_t { read, add, write, wait };
    const std::vector<std::uint8_t> now = {read, add, write}, later = {wait, wait, wait, read, add, write};
    return {.id = "two_additions",
            .title = "Two additions to one count",
            .origin = Origin::modelled,
            .content = Cells{.kinds = {{"reads the count", Ink::upload},
                                       {"adds 1", Ink::kernel},
                                       {"writes the sum", Ink::download},
                                       {"has not begun", Ink::quiet, Cells::Fill::outlined}},
                             .rows = {{"A", now, "reads 41, writes 42"},
                                      {"then B", later, "reads 42, writes 43"},
                                      {"A", now, "reads 41, writes 42"},
                                      {"and B", now, "reads 41, writes 42: one is lost"}},
                             .cell_name = "step"},
            .note = "Above one after the other, below both at once. Time goes to the right."};
}

/// What the bins of a workgroup take, for each number of bins.
Plot workgroup_memory_picture(const Prepared& asked) {
    const std::uint64_t size = asked.values()[key::workgroup_size];
    const auto most_bins = static_cast<std::uint64_t>(find(asked.lesson->parameters, key::bins.id)->maximum);
    Figure figure{.x = {.label = "bins", .scale = AxisScale::logarithmic},
                  .y = {.label = "workgroup memory", .unit = "B", .scale = AxisScale::logarithmic}};
    for (const Way& way : ways()) {
        if (!way.private_bins) continue;
        Series series{.label = way.id};
        for (std::uint64_t bins = 1; bins <= most_bins; bins *= 2) {
            const PrivateBins own = private_bins(way, bins, size, asked.limits);
            series.x.push_back(static_cast<double>(bins));
            series.y.push_back(static_cast<double>(own.held * own.copies * sizeof(std::uint32_t)));
        }
        figure.series.push_back(std::move(series));
    }
    const std::vector<double>& all = figure.series.front().x;
    const auto limit = static_cast<double>(asked.limits.max_shared_bytes);
    figure.series.push_back({.label = "this device has",
                             .ink = Ink::caution,
                             .x = {all.front(), all.back()},
                             .y = {limit, limit}});
    return {.id = "workgroup_memory",
            .title = "What the counts of a workgroup take",
            .origin = Origin::computed,
            .content = std::move(figure)};
}

/// Which invocations of a subgroup come to the same count together.
Plot contention_picture(const PictureInput& input) {
    const bool race = row_of(ways(), *input.asked.variant).wrong_on_purpose;
    MeetingWords words{.alone = {"has the bin to itself", Ink::kernel},
                       .first = {race ? "one of them is counted" : "goes first", Ink::upload},
                       .later = {race ? "overwritten" : "waits", race ? Ink::wrong : Ink::caution},
                       .elsewhere = {"counts nothing", Ink::quiet},
                       .in_arrays = true};
    return recorded_plot(
        input, "contention", "Who meets in the first subgroups",
        [words](const auto& trace, auto records) { return meetings_of(trace, records, words); });
}

/// A parameter that runs are compared over.
struct Compared {
    std::string_view parameter;
    std::string plot;    ///< its id
    std::string metric;  ///< what a run has of it; empty: the parameter's own value
};

/// Whether a run differs from `asked` in nothing that matters for its time but this parameter and the
/// variant.
bool differs_in_it_alone(const Experiment& run, const Experiment& asked, const Compared& compared) {
    Values values = run.values;
    for (const std::string_view id : {compared.parameter, std::string_view(key::seed.id)})
        values.set(id, asked.values.at(id));
    return values == asked.values && run.input.name.empty();
}

/// A count or a real.
double number_of(const Value& value) {
    const auto* count = std::get_if<std::uint64_t>(&value);
    return count ? static_cast<double>(*count) : std::get<double>(value);
}

std::optional<Plot> time_picture(const PictureInput& input, const Compared& compared) {
    const Parameter& parameter = *find(input.asked.lesson->parameters, compared.parameter);
    Figure figure{.x = {.label = parameter.label, .scale = AxisScale::logarithmic},
                  .y = {.label = "kernel", .unit = "ns", .scale = AxisScale::logarithmic}};
    bool any_line = false;
    for (const Way& way : ways()) {
        std::map<double, double> medians;  // the latest, ns, by the parameter
        for (const Report* run : input.history)
            if (run->experiment.variant == way.id &&
                differs_in_it_alone(run->experiment, input.asked.experiment, compared))
                if (const auto kernel_ns = metric(*run, "kernel_ns"))
                    medians[compared.metric.empty() ? number_of(run->experiment.values.at(parameter.id))
                                                    : metric(*run, compared.metric).value_or(0)] = *kernel_ns;
        if (medians.empty()) continue;
        any_line |= medians.size() > 1;
        Series series{.label = way.id, .mark = medians.size() > 1 ? Mark::line : Mark::scatter};
        for (const auto& [at, median] : medians) {
            series.x.push_back(at);
            series.y.push_back(median);
        }
        figure.series.push_back(std::move(series));
    }
    if (!any_line) return std::nullopt;
    return Plot{
        .id = compared.plot,
        .title = "Kernel time by " + parameter.label,
        .content = std::move(figure),
        .note = fmt::format("From the runs so far that differ from the bench in {} and the variant alone.",
                            parameter.label)};
}

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    std::vector<Plot> all;
    if (input.report && find(input.report->outputs, "counts")) {
        all.push_back(counts_picture(*input.report));
        if (input.asked.variant->wrong_on_purpose) all.push_back(lost_picture(*input.report));
    }
    if (!input.asked.plan.steps.empty()) {
        all.push_back(first_numbers_picture(input.asked));
        all.push_back(two_additions_picture());
        all.push_back(contention_picture(input));
        if (row_of(ways(), *input.asked.variant).private_bins) all.push_back(own_counts_picture(input.asked));
        all.push_back(workgroup_memory_picture(input.asked));
    }
    static const Compared all_compared[] = {
        {key::spread.id, "time_against_spread", ""},
        {key::bins.id, "time_against_bins", ""},
        {key::workgroup_count.id, "time_against_workgroups", "workgroup_count"}};
    for (const Compared& compared : all_compared)
        if (auto times = time_picture(input, compared)) all.push_back(std::move(*times));
    return all;
}

}  // namespace gridstride::lessons::histogram

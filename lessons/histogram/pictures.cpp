// The pictures: the counts, those that were lost, who meets in a bin, and what that costs.
#include <fmt/format.h>

#include <map>

#include "base/units.h"
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
    const std::vector<double> truth = numbers_of(*report.right("counts"));
    return {.id = "counts",
            .title = fmt::format("Counts, {} bins", format_count(bins.count)),
            .content = over_bins(bins, "count",
                                 {{.label = "GPU", .mark = Mark::bars, .ink = Ink::upload, .y = counts},
                                  {.label = "CPU", .mark = Mark::outline_bars, .ink = Ink::cpu, .y = truth}}),
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

/// What happens to the number of an invocation.
enum Cell : std::uint8_t { alone, first, later, outside };

/// One step of a subgroup, a number for each invocation.
Cells::Row lane_of(std::string label, std::span<const float> numbers, const Bins& bins,
                   std::uint64_t copies) {
    std::map<std::uint64_t, std::vector<std::size_t>> meeting;  // in a word of memory
    for (std::size_t lane = 0; lane < numbers.size(); ++lane)
        if (const auto bin = bin_of(numbers[lane], bins))
            meeting[*bin * copies + lane % copies].push_back(lane);
    std::vector<std::uint8_t> cells(numbers.size(), outside);
    std::size_t longest_queue = 0;
    for (const auto& [word, who] : meeting) {
        for (const std::size_t lane : who)
            cells[lane] = later;
        cells[who.front()] = who.size() == 1 ? alone : first;
        longest_queue = std::max(longest_queue, who.size());
    }
    return {std::move(label), std::move(cells),
            longest_queue > 1 ? fmt::format("up to {} in one place", longest_queue) : "nobody meets"};
}

/// Which invocations of a subgroup count in the same word of memory in one step, for the first steps. The
/// steps are those of workgroup 0 when the grid is large: one number an invocation, or the four of a quad one
/// by one.
Plot contention_picture(const Prepared& asked) {
    constexpr std::uint64_t steps = 4;
    const Values& values = asked.values();
    const Way& way = row_of(ways(), *asked.variant);
    const bool quads = way.private_bins, race = way.wrong_on_purpose;
    const Bins bins = bins_of(values);
    const std::uint64_t size = values[key::workgroup_size];
    const std::uint64_t copies = private_bins(way, bins.count, size, asked.limits).copies;
    const std::uint64_t width = std::min<std::uint64_t>(asked.limits.subgroup_size, size);
    ArrayRef numbers = asked.experiment.input.numbers;
    if (!numbers)
        numbers = share(normal_f32(std::min(steps * width, values[key::elements]), values[key::seed], 0,
                                   values[key::spread]));

    Cells cells{.kinds = {{"has the bin to itself", Ink::kernel},
                          {race ? "one of them is counted" : "goes first", Ink::upload},
                          {race ? "overwritten" : "stands in line", race ? Ink::wrong : Ink::caution},
                          {"outside the range", Ink::quiet}},
                .cell_name = "invocation"};
    for (std::uint64_t s = 0; s < steps; ++s) {
        std::vector<float> theirs;
        for (std::uint64_t lane = 0; lane < width; ++lane) {
            // Four steps with the numbers of one quad each, or four subgroups with a number each.
            const std::uint64_t i = quads ? 4 * lane + s : s * width + lane;
            if (i < numbers->count()) theirs.push_back(static_cast<float>(numbers->number(i)));
        }
        if (theirs.empty()) break;
        const std::string label = fmt::format("{} {}", quads ? "number" : "subgroup", s + 1);
        cells.rows.push_back(lane_of(label, theirs, bins, copies));
    }
    return {
        .id = "contention",
        .title = quads ? "Who meets in the first subgroup" : "Who meets in the first subgroups",
        .origin = Origin::computed,
        .content = std::move(cells),
        .note = copies > 1
                    ? fmt::format("Each bin has {} copies: to meet, two need the same bin and the same copy.",
                                  copies)
                : race ? "If all of a row read before any writes, one of those in the same bin is counted."
                       : "Those in the same bin are counted one after another."};
}

/// Whether a run differs from `asked` in nothing that matters for its time but the spread and the variant.
bool differs_in_spread_alone(const Experiment& run, const Experiment& asked) {
    Values values = run.values;
    for (const std::string_view id : {key::spread.id, key::seed.id})
        values.set(id, asked.values.at(id));
    return values == asked.values && run.input.name.empty();
}

std::optional<Plot> spread_picture(const PictureInput& input) {
    Figure figure{.x = {.label = "spread", .scale = AxisScale::logarithmic},
                  .y = {.label = "kernel", .unit = "ns", .scale = AxisScale::logarithmic}};
    bool any_line = false;
    for (const Way& way : ways()) {
        std::map<double, double> medians;  // the latest, ns, by spread
        for (const Report* run : input.history)
            if (run->experiment.variant == way.id &&
                differs_in_spread_alone(run->experiment, input.asked.experiment))
                if (const auto kernel_ns = metric(*run, "kernel_ns"))
                    medians[run->experiment.values[key::spread]] = *kernel_ns;
        if (medians.empty()) continue;
        any_line |= medians.size() > 1;
        Series series{.label = way.id, .mark = medians.size() > 1 ? Mark::line : Mark::scatter};
        for (const auto& [spread, median] : medians) {
            series.x.push_back(spread);
            series.y.push_back(median);
        }
        figure.series.push_back(std::move(series));
    }
    if (!any_line) return std::nullopt;
    return Plot{
        .id = "time_against_spread",
        .title = "Kernel time against spread",
        .content = std::move(figure),
        .note = "From the runs so far that differ from the bench in the spread and the variant alone."};
}

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    std::vector<Plot> all;
    if (input.report && find(input.report->outputs, "counts")) {
        all.push_back(counts_picture(*input.report));
        if (is_wrong_on_purpose(*input.asked.lesson, input.report->experiment))
            all.push_back(lost_picture(*input.report));
    }
    if (!input.asked.plan.steps.empty()) all.push_back(contention_picture(input.asked));
    if (auto spread = spread_picture(input)) all.push_back(std::move(*spread));
    return all;
}

}  // namespace gridstride::lessons::histogram

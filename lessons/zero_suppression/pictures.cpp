#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/units.h"
#include "zero_suppression/zero_suppression.h"

namespace gridstride::lessons::zero_suppression {

namespace {

/// Pictures are made anew several times a second: what is not the array itself stays below so many numbers.
constexpr std::size_t most_numbers = 100000;
/// And no more samples than this are looked at one by one.
constexpr std::size_t most_looked_at = std::size_t{1} << 22;

using Positions = std::span<const std::int32_t>;

Positions positions_of(const Array& kept) {
    return kept.as<std::int32_t>().first(kept.count() / 2);
}

Series level(std::string label, double value, std::size_t samples) {
    return {.label = std::move(label),
            .ink = Ink::caution,
            .x = {0.0, static_cast<double>(samples - 1)},
            .y = {value, value}};
}

Plot waveform(const Report& report, const ArrayRef& samples) {
    Plot plot{.id = "waveform", .title = "Before and after"};
    Figure figure{.x = {.label = "sample", .whole_numbers = true}, .y = {.label = "value"}};
    figure.series.push_back({.label = "before", .ink = Ink::quiet, .y_array = samples});
    for (const NamedArray& output : report.outputs) {
        if (output.name == "silenced")
            figure.series.push_back({.label = "after", .ink = Ink::kernel, .y_array = output.array});
        if (output.name == "kept") {
            // As points; every so many of them where there are very many.
            const Positions positions = positions_of(*output.array);
            const auto values = output.array->as<std::int32_t>().last(positions.size());
            const std::size_t step = std::max<std::size_t>(divide_up(positions.size(), most_numbers), 1);
            Series kept{.label = "kept", .mark = Mark::scatter, .ink = Ink::kernel};
            for (std::size_t i = 0; i < positions.size(); i += step) {
                kept.x.push_back(positions[i]);
                kept.y.push_back(values[i]);
            }
            figure.series.push_back(std::move(kept));
            if (step > 1)
                plot.note = fmt::format("Of the {} kept samples one in {} is drawn.",
                                        format_count(positions.size()), step);
        }
    }
    const auto threshold = static_cast<double>(report.experiment.values[key::threshold]);
    figure.series.push_back(level("threshold", threshold, samples->count()));
    if (report.experiment.values[key::rule] == Rule::magnitude && threshold > 0)
        figure.series.push_back(level("and its twin", -threshold, samples->count()));
    plot.content = std::move(figure);
    return plot;
}

/// What the GPU's answer lacks of the samples.
std::optional<Plot> removed(const Report& report, Samples samples) {
    const std::size_t shown = std::min(samples.size(), most_looked_at);
    std::vector<int> gone(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(shown));
    if (const Array* silenced = find(report.outputs, "silenced");
        silenced && silenced->count() == samples.size()) {
        const Samples after = silenced->as<std::int16_t>();
        for (std::size_t i = 0; i < shown; ++i)
            gone[i] -= after[i];
    } else if (const Array* kept = find(report.outputs, "kept")) {
        // They rise, so that those behind the first so many are further on.
        const Positions positions = positions_of(*kept);
        for (const std::int32_t position : positions.first(std::min(positions.size(), shown)))
            if (static_cast<std::size_t>(position) < shown) gone[static_cast<std::size_t>(position)] = 0;
    } else {
        return std::nullopt;
    }

    Plot plot{.id = "removed", .title = "What was removed", .note = "The samples before minus those after."};
    if (shown < samples.size())
        plot.note +=
            fmt::format(" Of {} samples the first {}.", format_count(samples.size()), format_count(shown));
    Series series{.label = "removed"};
    if (shown <= most_numbers) {
        series.y.assign(gone.begin(), gone.end());
    } else {
        const std::size_t together = divide_up(2 * shown, most_numbers);
        for (std::size_t start = 0; start < shown; start += together) {
            const auto some = std::span(gone).subspan(start, std::min(together, shown - start));
            const auto [low, high] = std::minmax_element(some.begin(), some.end());
            series.x.insert(series.x.end(), 2, static_cast<double>(start));
            series.y.insert(series.y.end(), {static_cast<double>(*low), static_cast<double>(*high)});
        }
        plot.note += fmt::format(" Drawn: the lowest and the highest of every {}.", format_count(together));
    }
    plot.content = Figure{.x = {.label = "sample", .whole_numbers = true},
                          .y = {.label = "value"},
                          .series = {std::move(series)}};
    return plot;
}

Plot amplitudes(const Report& report, Samples samples) {
    const std::size_t step = std::max<std::size_t>(divide_up(samples.size(), most_numbers), 1);
    std::vector<std::int16_t> counted;
    for (std::size_t i = 0; i < samples.size(); i += step)
        counted.push_back(samples[i]);
    const auto [lowest, highest] = std::minmax_element(counted.begin(), counted.end());
    const int low = *lowest, high = *highest;
    constexpr int most_bins = 60;
    const int width = (high - low) / most_bins + 1;
    const auto bins = static_cast<std::size_t>((high - low) / width + 1);

    Series below{.label = "below", .mark = Mark::stacked_bars, .ink = Ink::quiet};
    for (std::size_t bin = 0; bin < bins; ++bin)
        below.x.push_back(low + static_cast<double>(bin) * width + (width - 1) / 2.0);
    below.y.resize(bins);
    Series survive = below;
    survive.label = "survive";
    survive.ink = Ink::kernel;
    const Rule rule = report.experiment.values[key::rule];
    const std::uint64_t threshold = report.experiment.values[key::threshold];
    for (const std::int16_t sample : counted)
        (survives(sample, rule, threshold) ? survive : below)
            .y[static_cast<std::size_t>((sample - low) / width)] += 1;

    Figure figure{.x = {.label = "value"},
                  .y = {.label = "samples", .scale = AxisScale::logarithmic},
                  .series = {std::move(below), std::move(survive)}};
    const auto at = static_cast<double>(threshold);
    if (at <= high + width) figure.markers.push_back({at, "threshold"});
    if (rule == Rule::magnitude && threshold > 0 && -at >= low - width) figure.markers.push_back({-at, ""});
    Plot plot{.id = "amplitudes",
              .title = "How often each value occurs",
              .origin = Origin::computed,
              .content = std::move(figure)};
    if (step > 1) plot.note = fmt::format("One sample in {} is counted.", format_count(step));
    return plot;
}

/// The newest measured run of each variant over as many samples, side by side, once there are two to compare.
std::optional<Plot> times(const PictureInput& input) {
    std::vector<const Report*> runs(input.history.begin(), input.history.end());
    runs.push_back(input.report);
    const std::uint64_t samples = input.report->experiment.values[key::elements];
    Figure figure{.y = {.label = "kernel time", .unit = "µs"}, .horizontal = true, .value_labels = true};
    Series bars{.label = "kernel", .mark = Mark::bars, .ink = Ink::kernel};
    for (const Variant& variant : input.asked.lesson->variants) {
        const auto run = std::find_if(runs.rbegin(), runs.rend(), [&](const Report* one) {
            return one->experiment.variant == variant.id &&
                   one->experiment.values[key::elements] == samples && one->status == Status::ok &&
                   !one->timings.kernel.samples.empty();
        });
        if (run == runs.rend()) continue;
        figure.x.categories.push_back(variant.id);
        bars.y.push_back((*run)->timings.kernel.summary().median / 1e3);
    }
    if (bars.y.size() < 2) return std::nullopt;
    figure.series.push_back(std::move(bars));
    return Plot{
        .id = "times",
        .title = "The variants side by side",
        .content = std::move(figure),
        .note = fmt::format("The last run of each over {} samples, whatever the rest of the bench was.",
                            format_count(samples))};
}

constexpr std::size_t cells = 64;
using Cells = std::vector<std::uint8_t>;

/// Which of the first samples the first invocations take.
Plot who_takes_which(const Dispatch& main) {
    constexpr std::uint64_t invocations_shown = 6;
    enum Cell : std::uint8_t { anothers, first_pass, later_pass };
    const std::uint64_t each = main.tile.x / main.workgroup.x;
    const std::uint64_t invocations = main.workgroup_size() * main.workgroup_count();
    const std::size_t shown = std::min<std::uint64_t>(cells, main.elements());
    Lanes lanes{
        .kinds = {{"another's", Ink::quiet}, {"its first", Ink::kernel}, {"its further ones", Ink::upload}},
        .cell_name = "sample"};
    for (std::uint64_t i = 0; i < std::min(invocations_shown, invocations); ++i) {
        Cells row(shown, anothers);
        for (std::size_t sample = 0; sample < shown; ++sample)
            if (sample / each % invocations == i)
                row[sample] = sample / each < invocations ? first_pass : later_pass;
        const auto others = static_cast<std::size_t>(std::count(row.begin(), row.end(), anothers));
        lanes.lanes.push_back({fmt::format("invocation {}", i), std::move(row),
                               fmt::format("{} of these", format_count(shown - others))});
    }
    std::string note = each == 1 ? "One sample at a time" : fmt::format("{} samples at a time", each);
    if (main.passes() == 1)
        note += ", and one pass of the grid takes them all.";
    else
        note += fmt::format(", then {} samples further on, {} passes in all.",
                            format_count(invocations * each), format_count(main.passes()));
    return {.id = "who",
            .title = fmt::format("Who takes which of the first {} samples", shown),
            .origin = Origin::computed,
            .content = std::move(lanes),
            .note = std::move(note)};
}

/// The sample at which a picture of some begins: before the first place where survivors are half of them, so
/// that both kinds are seen; else before the first survivor.
std::size_t start_of_window(Positions positions) {
    constexpr std::size_t searched = 100000;
    constexpr std::size_t together = 16;
    constexpr std::int64_t reach = 32;
    const auto some_before = [&](std::size_t k) {
        return static_cast<std::size_t>(std::max<std::int64_t>(std::int64_t{positions[k]} - 16, 0));
    };
    for (std::size_t k = 0; k + together <= std::min(positions.size(), searched); ++k)
        if (std::int64_t{positions[k + together - 1]} - positions[k] < reach) return some_before(k);
    return some_before(0);
}

/// The survivors among some samples around the first one, before and after. nullopt when nothing was kept.
std::optional<Plot> compaction(const Report& report, Samples samples) {
    enum Cell : std::uint8_t { left_out, survivor, unused };
    const Array* kept = find(report.outputs, "kept");
    if (!kept || kept->count() < 2) return std::nullopt;
    const Positions positions = positions_of(*kept);
    const std::size_t first = start_of_window(positions);
    const std::size_t shown = std::min(cells, samples.size() - std::min(first, samples.size()));

    Cells before(shown, left_out);
    std::size_t count = 0;
    const auto from = std::lower_bound(positions.begin(), positions.end(), static_cast<std::int32_t>(first));
    for (auto position = from; position != positions.end(); ++position, ++count) {
        const std::size_t cell = static_cast<std::size_t>(*position) - first;
        if (cell >= shown) break;
        before[cell] = survivor;
    }
    Cells after(shown, unused);
    std::fill_n(after.begin(), std::min(count, shown), std::uint8_t{survivor});
    Lanes lanes{.kinds = {{"below", Ink::quiet}, {"survives", Ink::kernel}, {"free", Ink::wait}},
                .lanes = {{"samples", std::move(before), fmt::format("from number {}", format_count(first))},
                          {"kept", std::move(after), fmt::format("{} of {}", count, shown)}},
                .cell_name = "sample"};
    return Plot{.id = "compaction",
                .title = "Survivors move together",
                .content = std::move(lanes),
                .note =
                    "Samples where survivors begin. Order is kept: the place of each is the number of "
                    "survivors before it."};
}

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    std::vector<Plot> all;
    if (const Report* report = input.report) {
        const ArrayRef array = report->input.empty() ? nullptr : report->input.front().array;
        if (array && !array->empty()) {
            const Samples samples = array->as<std::int16_t>();
            all.push_back(waveform(*report, array));
            if (auto plot = removed(*report, samples)) all.push_back(std::move(*plot));
            if (auto plot = compaction(*report, samples)) all.push_back(std::move(*plot));
            all.push_back(amplitudes(*report, samples));
        }
        if (auto plot = times(input)) all.push_back(std::move(*plot));
    }
    // Values that are out of their range have no plan.
    if (!input.asked.plan.steps.empty()) all.push_back(who_takes_which(input.asked.plan.main()));
    return all;
}

}  // namespace gridstride::lessons::zero_suppression

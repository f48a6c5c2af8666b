#include "zero_suppression/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/units.h"
#include "zero_suppression/lane_pictures.h"
#include "zero_suppression/plan.h"
#include "zero_suppression/reference.h"
#include "zero_suppression/ways.h"

namespace gridstride::lessons::zero_suppression {

namespace {

using Samples = std::span<const std::int16_t>;

/// Pictures are made anew several times a second: what is not the array itself stays below so many numbers.
constexpr std::size_t most_numbers = 100000;
/// And no more samples than this are looked at one by one.
constexpr std::size_t most_looked_at = std::size_t{1} << 22;

std::span<const std::int32_t> positions_of(const Array& kept) {
    return kept.as<std::int32_t>().first(kept.count() / 2);
}

/// What compact kept, as points; every so many of them where there are very many.
Series kept_points(const Array& kept, std::string& note) {
    Series points{.label = "kept", .mark = Mark::scatter, .ink = Ink::kernel};
    const auto positions = positions_of(kept);
    const auto values = kept.as<std::int32_t>().last(positions.size());
    const std::size_t step = std::max<std::size_t>(divide_up(positions.size(), most_numbers), 1);
    for (std::size_t i = 0; i < positions.size(); i += step) {
        points.x.push_back(positions[i]);
        points.y.push_back(values[i]);
    }
    if (step > 1)
        note =
            fmt::format("Of the {} kept samples one in {} is drawn.", format_count(positions.size()), step);
    return points;
}

Series level(std::string label, double value, std::size_t samples) {
    return {.label = std::move(label),
            .mark = Mark::line,
            .ink = Ink::caution,
            .x = {0.0, static_cast<double>(samples - 1)},
            .y = {value, value}};
}

Plot waveform(const Report& report, const ArrayRef& samples) {
    Figure figure;
    figure.x = {.label = "sample", .whole_numbers = true};
    figure.y = {.label = "value"};
    std::string note;
    figure.series.push_back({.label = "before", .mark = Mark::line, .ink = Ink::quiet, .y_array = samples});
    for (const NamedArray& output : report.outputs) {
        if (output.name == "silenced")
            figure.series.push_back(
                {.label = "after", .mark = Mark::line, .ink = Ink::kernel, .y_array = output.array});
        if (output.name == "kept") figure.series.push_back(kept_points(*output.array, note));
    }
    const auto threshold = static_cast<double>(report.values[key::threshold]);
    figure.series.push_back(level("threshold", threshold, samples->count()));
    if (report.values[key::rule] == Rule::magnitude && threshold > 0)
        figure.series.push_back(level("and its twin", -threshold, samples->count()));
    return {.id = "waveform",
            .title = "Before and after",
            .origin = Origin::measured,
            .content = std::move(figure),
            .note = std::move(note)};
}

/// The numbers at(0), at(1), …, at(count - 1); where there are too many, the lowest and the highest of every
/// so many.
template <class At>
void draw_numbers(std::size_t count, At at, Series& series, std::string& note) {
    if (count <= most_numbers) {
        for (std::size_t i = 0; i < count; ++i)
            series.y.push_back(at(i));
        return;
    }
    const std::size_t together = divide_up(2 * count, most_numbers);
    for (std::size_t start = 0; start < count; start += together) {
        const std::size_t end = std::min(start + together, count);
        int low = at(start);
        int high = low;
        for (std::size_t i = start + 1; i < end; ++i) {
            const int number = at(i);
            low = std::min(low, number);
            high = std::max(high, number);
        }
        series.x.insert(series.x.end(), {static_cast<double>(start), static_cast<double>(start)});
        series.y.insert(series.y.end(), {static_cast<double>(low), static_cast<double>(high)});
    }
    note += fmt::format(" Drawn: the lowest and the highest of every {}.", format_count(together));
}

/// What the GPU's answer lacks of the samples.
std::optional<Plot> removed(const Report& report, Samples samples) {
    const std::size_t shown = std::min(samples.size(), most_looked_at);
    const Array* silenced = find(report.outputs, "silenced");
    const Array* kept = find(report.outputs, "kept");
    Series series{.label = "removed", .mark = Mark::line, .ink = Ink::series};
    std::string note = "The samples before minus those after.";
    if (shown < samples.size())
        note +=
            fmt::format(" Of {} samples the first {}.", format_count(samples.size()), format_count(shown));
    if (silenced && silenced->count() == samples.size()) {
        const Samples after = silenced->as<std::int16_t>();
        draw_numbers(
            shown, [&](std::size_t i) { return samples[i] - after[i]; }, series, note);
    } else if (kept) {
        const auto positions = positions_of(*kept);
        std::size_t next = 0;
        const auto left_out = [&](std::size_t i) -> int {
            while (next < positions.size() && static_cast<std::size_t>(positions[next]) < i)
                ++next;
            const bool is_kept = next < positions.size() && static_cast<std::size_t>(positions[next]) == i;
            return is_kept ? 0 : samples[i];
        };
        draw_numbers(shown, left_out, series, note);
    } else {
        return std::nullopt;
    }
    Figure figure;
    figure.x = {.label = "sample", .whole_numbers = true};
    figure.y = {.label = "value"};
    figure.series.push_back(std::move(series));
    return Plot{.id = "removed",
                .title = "What was removed",
                .origin = Origin::measured,
                .content = std::move(figure),
                .note = std::move(note)};
}

Plot amplitudes(const Report& report, Samples samples) {
    const std::size_t step = std::max<std::size_t>(divide_up(samples.size(), most_numbers), 1);
    int low = samples[0];
    int high = samples[0];
    for (std::size_t i = 0; i < samples.size(); i += step) {
        low = std::min<int>(low, samples[i]);
        high = std::max<int>(high, samples[i]);
    }
    constexpr int most_bins = 60;
    const int width = (high - low) / most_bins + 1;
    const auto bins = static_cast<std::size_t>((high - low) / width + 1);
    std::vector<double> centres(bins), survive(bins), do_not(bins);
    for (std::size_t bin = 0; bin < bins; ++bin)
        centres[bin] = low + static_cast<double>(bin) * width + (width - 1) / 2.0;
    const Rule rule = report.values[key::rule];
    const std::uint64_t threshold = report.values[key::threshold];
    for (std::size_t i = 0; i < samples.size(); i += step) {
        const auto bin = static_cast<std::size_t>((samples[i] - low) / width);
        (survives(samples[i], rule, threshold) ? survive : do_not)[bin] += 1;
    }
    Figure figure;
    figure.x = {.label = "value"};
    figure.y = {.label = "samples", .scale = AxisScale::logarithmic};
    figure.series.push_back({.label = "below",
                             .mark = Mark::stacked_bars,
                             .ink = Ink::quiet,
                             .x = centres,
                             .y = std::move(do_not)});
    figure.series.push_back({.label = "survive",
                             .mark = Mark::stacked_bars,
                             .ink = Ink::kernel,
                             .x = std::move(centres),
                             .y = std::move(survive)});
    const auto at = static_cast<double>(threshold);
    if (at <= high + width) figure.markers.push_back({at, "threshold"});
    if (rule == Rule::magnitude && threshold > 0 && -at >= low - width) figure.markers.push_back({-at, ""});
    Plot plot{.id = "amplitudes",
              .title = "How often each value occurs",
              .origin = Origin::computed,
              .content = std::move(figure),
              .note = {}};
    if (step > 1) plot.note = fmt::format("One sample in {} is counted.", format_count(step));
    return plot;
}

bool is_measured(const Report& run) {
    return run.status == Status::ok && !run.timings.kernel.samples.empty();
}

/// The newest measured run of a variant over so many samples.
const Report* newest(std::span<const Report* const> runs, const std::string& variant, std::uint64_t samples) {
    const auto found = std::find_if(runs.rbegin(), runs.rend(), [&](const Report* run) {
        return run->variant == variant && run->values[key::elements] == samples && is_measured(*run);
    });
    return found == runs.rend() ? nullptr : *found;
}

/// The variants side by side, once there are two to compare.
std::optional<Plot> times(const Report& report, std::span<const Report* const> history) {
    const std::uint64_t samples = report.values[key::elements];
    Figure figure;
    figure.horizontal = true;
    figure.value_labels = true;
    figure.y = {.label = "kernel time", .unit = "µs"};
    Series bars{.label = "kernel", .mark = Mark::bars, .ink = Ink::kernel};
    for (const Variant& variant : variants()) {
        const bool is_this = report.variant == variant.id && is_measured(report);
        const Report* run = is_this ? &report : newest(history, variant.id, samples);
        if (!run) continue;
        figure.x.categories.push_back(variant.id);
        bars.y.push_back(run->timings.kernel.summary().median / 1e3);
    }
    if (bars.y.size() < 2) return std::nullopt;
    figure.series.push_back(std::move(bars));
    return Plot{
        .id = "times",
        .title = "The variants side by side",
        .origin = Origin::measured,
        .content = std::move(figure),
        .note = fmt::format("The last run of each over {} samples, whatever the rest of the bench was.",
                            format_count(samples))};
}

}  // namespace

std::vector<Plot> plots(const PlotInput& input) {
    std::vector<Plot> all;
    const Way way = way_of(input.variant);
    if (const Report* report = input.report) {
        const auto found = std::find_if(report->input.begin(), report->input.end(),
                                        [](const NamedArray& array) { return array.name == "samples"; });
        if (found != report->input.end() && found->array && !found->array->empty()) {
            const Samples samples = found->array->as<std::int16_t>();
            all.push_back(waveform(*report, found->array));
            if (auto plot = removed(*report, samples)) all.push_back(std::move(*plot));
            if (auto plot = compaction(*report)) all.push_back(std::move(*plot));
            all.push_back(amplitudes(*report, samples));
        }
        if (auto plot = times(*report, input.history)) all.push_back(std::move(*plot));
    }
    const Plan planned = plan(input.values, input.variant, input.limits);
    all.push_back(who_takes_which(way, main_dispatch(planned), input.limits));
    return all;
}

}  // namespace gridstride::lessons::zero_suppression

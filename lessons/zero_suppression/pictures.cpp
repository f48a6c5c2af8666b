#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/units.h"
#include "figures/recorded_pictures.h"
#include "lesson/stock.h"
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

/// The threshold can be dragged.
Figure::Marker threshold_marker(const Values& values) {
    return {.x = static_cast<double>(values[key::threshold]),
            .label = "threshold",
            .parameter = std::string(key::threshold.id),
            .step = 1};
}

/// The samples and what divides them.
Figure with_threshold(const Report& report, std::vector<Series> series) {
    const Values& values = report.experiment.values;
    Figure figure{.x = {.label = "sample", .whole_numbers = true},
                  .y = {.label = "value"},
                  .series = std::move(series)};
    Figure::Marker threshold = threshold_marker(values);
    threshold.on_y = true;
    figure.markers = {threshold};
    if (values[key::rule] == Rule::magnitude && threshold.x > 0)
        figure.markers.push_back({.x = -threshold.x, .label = "and its twin", .on_y = true});
    return figure;
}

Plot recording(const Report& report, const ArrayRef& samples) {
    return {.id = "recording",
            .title = "The recording",
            .origin = Origin::computed,
            .content = with_threshold(report, {{.label = "samples", .y_array = samples}})};
}

Plot waveform(const Report& report, const ArrayRef& samples) {
    Plot plot{.id = "waveform", .title = "Before and after"};
    std::vector<Series> series = {{.label = "before", .ink = Ink::quiet, .y_array = samples}};
    for (const NamedArray& output : report.outputs) {
        if (output.name == "silenced")
            series.push_back({.label = "after", .ink = Ink::kernel, .y_array = output.array});
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
            series.push_back(std::move(kept));
            if (step > 1)
                plot.note = fmt::format("Of the {} kept samples one in {} is drawn.",
                                        format_count(positions.size()), step);
        }
    }
    plot.content = with_threshold(report, std::move(series));
    return plot;
}

/// What the GPU's answer lacks of the samples.
std::optional<Plot> removal(const Report& report, Samples samples) {
    const std::size_t shown = std::min(samples.size(), most_looked_at);
    Array removed(ElementType::i32, shown);
    const auto gone = removed.as<std::int32_t>();
    std::copy_n(samples.begin(), shown, gone.begin());
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
    Plot plot{.id = "removed",
              .title = "What was removed",
              .content = Figure{.x = {.label = "sample", .whole_numbers = true},
                                .y = {.label = "value"},
                                .series = {{.label = "removed", .y_array = share(std::move(removed))}}},
              .note = "The samples before minus those after."};
    if (shown < samples.size())
        plot.note +=
            fmt::format(" Of {} samples the first {}.", format_count(samples.size()), format_count(shown));
    return plot;
}

Plot amplitudes(const Report& report, const Array& samples) {
    const std::size_t step = std::max<std::size_t>(divide_up(samples.count(), most_numbers), 1);
    std::vector<double> counted = numbers_of(samples, divide_up(samples.count(), step));
    const double low = std::ranges::min(counted), high = std::ranges::max(counted);
    constexpr double most_bins = 60;
    const double width = std::floor((high - low) / most_bins) + 1;
    const Rule rule = report.experiment.values[key::rule];
    const std::uint64_t threshold = report.experiment.values[key::threshold];
    const auto first_kept = std::partition(counted.begin(), counted.end(), [&](double sample) {
        return !survives(static_cast<std::int16_t>(sample), rule, threshold);
    });
    const auto bars = [&](std::string label, Ink ink, std::span<const double> some) {
        // A value is in the middle of its own interval of width 1.
        Series series =
            histogram_of(some, low - 0.5, width, static_cast<std::size_t>((high - low) / width) + 1);
        series.label = std::move(label);
        series.mark = Mark::stacked_bars;
        series.ink = ink;
        return series;
    };
    Figure figure{.x = {.label = "value"},
                  .y = {.label = "samples", .scale = AxisScale::logarithmic},
                  .series = {bars("below", Ink::quiet, {counted.begin(), first_kept}),
                             bars("survive", Ink::kernel, {first_kept, counted.end()})}};
    const Figure::Marker marker = threshold_marker(report.experiment.values);
    if (marker.x <= high + width) figure.markers.push_back(marker);
    if (rule == Rule::magnitude && marker.x > 0 && -marker.x >= low - width)
        figure.markers.push_back({.x = -marker.x});
    return {.id = "amplitudes",
            .title = "How often each value occurs",
            .origin = Origin::computed,
            .content = std::move(figure),
            .note = step > 1 ? fmt::format("One sample in {} is counted.", format_count(step)) : ""};
}

/// The sample at which a picture of some begins: before the first place where survivors are half of them, so
/// that both kinds are seen; else before the first survivor.
std::size_t start_of_window(Positions positions) {
    constexpr std::size_t searched = 100000, together = 16;
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
    const std::size_t shown = std::min(std::size_t{64}, samples.size() - std::min(first, samples.size()));

    std::vector<std::uint8_t> before(shown, left_out), after(shown, unused);
    std::size_t count = 0;
    const auto from = std::lower_bound(positions.begin(), positions.end(), static_cast<std::int32_t>(first));
    // A wrong answer may name one twice.
    for (auto position = from; position != positions.end() && count < shown; ++position) {
        const std::size_t cell = static_cast<std::size_t>(*position) - first;
        if (cell >= shown) break;
        before[cell] = after[count++] = survivor;
    }
    return Plot{
        .id = "compaction",
        .title = "Survivors move together",
        .content =
            Cells{.kinds = {{"below", Ink::quiet}, {"survives", Ink::kernel}, {"free", Ink::wait}},
                  .rows = {{"samples", std::move(before), fmt::format("from number {}", format_count(first))},
                           {"kept", std::move(after), fmt::format("{} of {}", count, shown)}},
                  .cell_name = "sample"},
        .note =
            "Samples where survivors begin. Order is kept: the place of each is the number of "
            "survivors before it."};
}

/// What each rule makes of a sample.
Plot rule_picture(const Values& values) {
    const auto threshold = static_cast<double>(values[key::threshold]);
    const double far = 2 * std::max(threshold, 1.0);
    const bool is_signed = values[key::rule] == Rule::signed_value;
    const std::vector<double> x = {-far, -threshold, -threshold, threshold, threshold, far};
    const auto line = [&](std::string label, bool chosen, double left, double below) {
        return Series{.label = std::move(label),
                      .ink = chosen ? Ink::kernel : Ink::quiet,
                      .x = x,
                      .y = {left, below, 0, 0, threshold, far}};
    };
    std::vector<Series> series = {line("signed", is_signed, 0, 0),
                                  line("magnitude", !is_signed, -far, -threshold)};
    // What they have in common is drawn last in the chosen one's colour.
    if (is_signed) std::swap(series[0], series[1]);
    return {.id = "rule",
            .title = "What becomes of a sample",
            .origin = Origin::computed,
            .content = Figure{.x = {.label = "sample", .whole_numbers = true},
                              .y = {.label = "what it becomes"},
                              .series = std::move(series),
                              .markers = {threshold_marker(values)}}};
}

/// What fits into some bytes: samples, words, loads, survivors.
Plot bytes_picture() {
    constexpr std::size_t bytes = 32;
    enum Cell : std::uint8_t { one, next, position };
    Cells cells{.kinds = {{"one", Ink::kernel}, {"the next", Ink::upload}, {"its position", Ink::quiet}},
                .cell_name = "byte"};
    const auto row = [&](std::string label, std::size_t before, std::size_t size) {
        std::vector<std::uint8_t> kinds;
        for (std::size_t byte = 0; byte < bytes; ++byte) {
            const bool in_position = byte % size < before, is_next = byte / size % 2 == 1;
            kinds.push_back(in_position ? position : is_next ? next : one);
        }
        cells.rows.push_back(
            {std::move(label), std::move(kinds), fmt::format("{} × {} bytes", bytes / size, size)});
    };
    row("samples", 0, 2);
    row("words", 0, 4);
    row("uvec4", 0, 16);
    row("survivors", 4, 6);
    return {.id = "bytes",
            .title = fmt::format("What fits into {} bytes", bytes),
            .origin = Origin::computed,
            .content = std::move(cells)};
}

/// The steps of the first prefix sum in compact's last launch.
Plot scan_picture(const PictureInput& input) {
    constexpr std::uint32_t launch = 2;
    LevelWords words;
    words.reads = {{"adds what stands to its left", Ink::kernel}, "add", "step"};
    words.acts = words.stores = {};
    words.file = "zero_suppression/scan.glsl";
    words.most_rows = tree_levels(input.asked.plan.main().workgroup_size());
    return recorded_plot(
        input, "scan", "A prefix sum, step by step",
        [words](const auto& trace, auto records) { return levels_of(trace, records, words); }, launch);
}

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    std::vector<Plot> all;
    const auto add = [&](std::optional<Plot> plot) {
        if (plot) all.push_back(std::move(*plot));
    };
    const Report* const report = input.report;
    const ArrayRef array = report && !report->input.empty() ? report->input.front().array : nullptr;
    if (array && !array->empty()) {
        const Samples samples = array->as<std::int16_t>();
        add(recording(*report, array));
        add(waveform(*report, array));
        add(removal(*report, samples));
        add(compaction(*report, samples));
        add(amplitudes(*report, *array));
    }
    // Values that are out of their range have no plan.
    if (input.asked.plan.steps.empty()) return all;
    add(who_takes_which(input, "samples", "sample"));
    add(bytes_picture());
    add(rule_picture(input.asked.values()));
    if (input.asked.variant->id == "compact") add(scan_picture(input));
    return all;
}

}  // namespace gridstride::lessons::zero_suppression

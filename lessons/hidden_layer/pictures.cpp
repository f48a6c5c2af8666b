// Pictures of a run: what happened when, what was moved, and what came of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/units.h"
#include "hidden_layer/hidden_layer.h"
#include "lesson/stock.h"

namespace gridstride::lessons::hidden_layer {

namespace {

// Pictures are made several times a second while runs arrive: they look at so many activations, evenly
// spread.
constexpr std::size_t most_counted = 100'000;
constexpr std::size_t most_compared = 2'000;

Timeline::Bar bar_of(const StepTime& step, bool is_before_the_last_kernel) {
    Timeline::Bar bar{step.label, Ink::kernel, step.start_ns, step.duration_ns};
    // The array is called by what it holds in the end; on its way there it holds values.
    if (step.label == "activations" && is_before_the_last_kernel) bar.label = "values";
    if (step.phase == Phase::kernel) return bar;
    bar.label.insert(0, step.phase == Phase::upload ? "upload " : "download ");
    bar.ink = step.phase == Phase::upload ? Ink::upload : Ink::download;
    return bar;
}

Timeline::Row row_of_run(const Report& run) {
    Timeline::Row row{run.experiment.variant, {}, run.timings.wall.summary().median};
    const double invisible_ns = row.end_ns / 1000;
    const auto end_of = [](const Timeline::Bar& bar) { return bar.start_ns + bar.duration_ns; };
    auto kernels = std::count_if(run.timeline.begin(), run.timeline.end(),
                                 [](const StepTime& step) { return step.phase == Phase::kernel; });
    for (const StepTime& step : run.timeline) {
        Timeline::Bar bar = bar_of(step, kernels > 0);
        kernels -= step.phase == Phase::kernel;
        // Long copies come in pieces and long launches in slices: pieces of one kind with no gap worth seeing
        // are one bar.
        if (!row.bars.empty() && row.bars.back().label == bar.label &&
            bar.start_ns - end_of(row.bars.back()) < invisible_ns)
            row.bars.back().duration_ns = end_of(bar) - row.bars.back().start_ns;
        else
            row.bars.push_back(std::move(bar));
    }
    // The bars are the last run's, which may have been longer than most.
    row.end_ns = std::max(row.end_ns, end_of(row.bars.back()));
    return row;
}

/// A row for each variant that has run with the bench's values and input, from its latest run; nullopt before
/// the first.
std::optional<Plot> timeline_picture(const PictureInput& input) {
    const Experiment& bench = input.asked.experiment;
    Timeline timeline;
    std::string missing;
    for (const Variant& variant : input.asked.lesson->variants) {
        const Report* latest = nullptr;
        const auto consider = [&](const Report* run) {
            if (run && run->experiment.variant == variant.id && run->experiment.values == bench.values &&
                run->experiment.input == bench.input && !run->timeline.empty() &&
                !run->timings.wall.samples.empty())
                latest = run;
        };
        std::for_each(input.history.begin(), input.history.end(), consider);
        consider(input.report);  // it may be on its way into the history
        if (latest)
            timeline.rows.push_back(row_of_run(*latest));
        else
            missing += (missing.empty() ? "" : ", ") + variant.id;
    }
    if (timeline.rows.empty()) return std::nullopt;
    std::string note =
        "The last run's steps; a row ends at the median run's end. Between bars the host copies, submits and "
        "waits.";
    if (!missing.empty()) note += fmt::format(" Not yet run with these values: {}.", missing);
    return Plot{.id = "timeline",
                .title = "What happened when",
                .content = std::move(timeline),
                .note = std::move(note)};
}

/// Bytes an element, from each variant's plan.
Plot bytes_moved_by_variant(const Prepared& asked) {
    Figure figure{.x = {.label = "variant"},
                  .y = {.label = "bytes an element", .unit = "B"},
                  .horizontal = true,
                  .value_labels = true};
    figure.series = {{.label = "uploads", .mark = Mark::stacked_bars, .ink = Ink::upload},
                     {.label = "kernels", .mark = Mark::stacked_bars, .ink = Ink::kernel},
                     {.label = "downloads", .mark = Mark::stacked_bars, .ink = Ink::download}};
    const std::uint64_t n = asked.values()[key::elements];
    for (const Variant& variant : asked.lesson->variants) {
        Experiment other = asked.experiment;
        other.variant = variant.id;
        const Plan plan = &variant == asked.variant
                              ? asked.plan
                              : prepare(*asked.lesson, std::move(other), asked.limits).plan;
        figure.x.categories.push_back(variant.id);
        const std::uint64_t moved[] = {uploaded_bytes(plan), kernel_bytes(plan), downloaded_bytes(plan)};
        for (std::size_t i = 0; i < figure.series.size(); ++i)
            figure.series[i].y.push_back(static_cast<double>(moved[i]) / static_cast<double>(n));
    }
    return {.id = "bytes",
            .title = "Bytes moved for each element",
            .origin = Origin::computed,
            .content = std::move(figure),
            .note = fmt::format("Uploads and downloads cross between host and device; kernels read and write "
                                "device memory. Times {} elements.",
                                format_count(n))};
}

/// The user's picture and what the layer makes of it.
std::optional<Plot> before_and_after(const NamedArray& greyscales, const NamedArray& activations) {
    if (greyscales.width == 0) return std::nullopt;
    const auto all = activations.array->as<float>();
    float brightest = 0;
    for_each_sampled(all.size(), most_counted,
                     [&](std::size_t i) { brightest = std::max(brightest, all[i]); });
    const double white = brightest > 0 ? brightest : 1;
    return Plot{.id = "picture",
                .title = "In and out",
                .content = Pictures{{{"greyscales", greyscales.width, greyscales.array},
                                     {"activations", greyscales.width, activations.array, 0, white}}},
                .note = fmt::format("White is grey level 255 on the left and activation {} on the right.",
                                    format_significant(white))};
}

/// How many of a sample of the activations lie in each of 40 intervals.
Plot distribution(const Array& activations) {
    constexpr std::size_t bins = 40;
    const auto all = activations.as<float>();
    bool any_negative = false;
    for_each_sampled(all.size(), most_counted,
                     [&](std::size_t i) { any_negative = any_negative || all[i] < 0; });
    const double low = any_negative ? -1 : 0;
    const double width = (1 - low) / bins;
    std::vector<double> shares(bins), centres(bins);
    std::size_t looked_at = 0, not_numbers = 0;
    for_each_sampled(all.size(), most_counted, [&](std::size_t i) {
        ++looked_at;
        if (std::isnan(all[i]))
            ++not_numbers;
        else
            ++shares[static_cast<std::size_t>(std::clamp((all[i] - low) / width, 0.0, bins - 1.0))];
    });
    for (std::size_t b = 0; b < bins; ++b) {
        shares[b] *= 100 / static_cast<double>(looked_at);
        centres[b] = low + (static_cast<double>(b) + 0.5) * width;
    }
    std::string note;
    if (looked_at < all.size())
        note = fmt::format("{} of {} activations, evenly spread.", format_count(looked_at),
                           format_count(all.size()));
    if (not_numbers > 0)
        note += fmt::format(
            "{}{} of them are not a number and stand nowhere here.", note.empty() ? "" : " ",
            format_percent(static_cast<double>(not_numbers) / static_cast<double>(looked_at)).text());
    return {.id = "activations",
            .title = "Distribution of the activations",
            .content = Figure{.x = {.label = "activation"},
                              .y = {.label = "share", .unit = "%"},
                              .series = {{.label = "activations",
                                          .mark = Mark::bars,
                                          .ink = Ink::kernel,
                                          .x = std::move(centres),
                                          .y = std::move(shares)}}},
            .note = std::move(note)};
}

/// The relative error of a sample of the activations against |v|. The judge's reference is rounded to f32,
/// which is an error of the size that is looked for: the definition, in double, is asked again for the
/// sample.
std::optional<Plot> error_picture(const Report& report, const Array& activations) {
    // An exact result has no place on a logarithmic axis: it is drawn at the bottom.
    constexpr double exact = 1e-9;
    const auto greyscales = get(report.input, "greyscales").as<float>();
    const auto weights = get(report.input, "weights").as<float>();
    const auto all = activations.as<float>();
    const double gain = gain_f32(report.experiment.values);
    Series errors{.label = "GPU", .mark = Mark::scatter, .ink = Ink::kernel};
    std::size_t not_numbers = 0;
    for_each_sampled(all.size(), most_compared, [&](std::size_t i) {
        const double right = activation(greyscales[i], weights[i], gain);
        if (std::abs(right) < 1e-30) return;
        not_numbers += std::isnan(all[i]);
        if (std::isnan(all[i])) return;
        errors.x.push_back(std::abs(gain * greyscales[i] / 255 * weights[i]));
        errors.y.push_back(std::max(std::abs(all[i] - right) / std::abs(right), exact));
    });
    if (errors.x.empty()) return std::nullopt;
    const auto [least, most] = std::minmax_element(errors.x.begin(), errors.x.end());
    const double allowed = tolerance(report.experiment.values).relative;
    Series bound{.label = "allowed", .ink = Ink::caution, .x = {*least, *most}, .y = {allowed, allowed}};
    std::string note = "Against tanh in double; exact ones stand at the bottom.";
    if (not_numbers > 0)
        note += fmt::format(" {} of the sample are not a number.", format_count(not_numbers));
    return Plot{.id = "error",
                .title = "How far off, by the size of v",
                .content = Figure{.x = {.label = "|v|", .scale = AxisScale::logarithmic},
                                  .y = {.label = "relative error", .scale = AxisScale::logarithmic},
                                  .series = {std::move(errors), std::move(bound)}},
                .note = std::move(note)};
}

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    std::vector<Plot> all;
    const auto add = [&](std::optional<Plot> plot) {
        if (plot) all.push_back(std::move(*plot));
    };
    add(timeline_picture(input));
    if (!input.asked.plan.steps.empty()) add(bytes_moved_by_variant(input.asked));
    if (!input.report) return all;
    const Report& report = *input.report;
    if (report.input.empty() || report.outputs.empty() || report.outputs.front().array->empty()) return all;
    const NamedArray& activations = report.outputs.front();  // there is no other
    add(before_and_after(report.input.front(), activations));
    add(distribution(*activations.array));
    add(error_picture(report, *activations.array));
    return all;
}

}  // namespace gridstride::lessons::hidden_layer

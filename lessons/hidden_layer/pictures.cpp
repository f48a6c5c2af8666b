#include "hidden_layer/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/units.h"
#include "hidden_layer/plan.h"
#include "hidden_layer/reference.h"
#include "hidden_layer/timeline_picture.h"

namespace gridstride::lessons::hidden_layer {

namespace {

// Pictures are made several times a second while runs arrive: they look at so many activations, evenly
// spread.
constexpr std::size_t most_counted = 100'000;
constexpr std::size_t most_compared = 2'000;

std::size_t step_through(std::size_t count, std::size_t most) {
    return std::max<std::size_t>((count + most - 1) / most, 1);
}

/// Bytes an element, from each variant's plan.
Plot bytes_moved_by_variant(const Values& values, const Limits& limits) {
    Series up{.label = "uploads", .mark = Mark::stacked_bars, .ink = Ink::upload};
    Series kernels{.label = "kernels", .mark = Mark::stacked_bars, .ink = Ink::kernel};
    Series down{.label = "downloads", .mark = Mark::stacked_bars, .ink = Ink::download};
    Figure figure;
    figure.x.label = "variant";
    figure.y = {.label = "bytes an element", .unit = "B"};
    figure.horizontal = true;
    figure.value_labels = true;
    const auto n = static_cast<double>(values[key::elements]);
    for (const Variant& variant : variants()) {
        const Traffic moved = traffic(plan(values, variant.id, limits));
        figure.x.categories.push_back(variant.id);
        up.y.push_back(static_cast<double>(moved.uploaded) / n);
        kernels.y.push_back(static_cast<double>(moved.by_kernels) / n);
        down.y.push_back(static_cast<double>(moved.downloaded) / n);
    }
    figure.series = {std::move(up), std::move(kernels), std::move(down)};
    return {.id = "bytes",
            .title = "Bytes moved for each element",
            .origin = Origin::computed,
            .content = std::move(figure),
            .note = fmt::format("Uploads and downloads cross between host and device; kernels read and write "
                                "device memory. Times {} "
                                "elements.",
                                format_count(values[key::elements]))};
}

/// How many of a sample of the activations lie in each of 40 intervals.
Plot distribution(const Array& activations) {
    constexpr std::size_t bins = 40;
    const auto all = activations.as<float>();
    const std::size_t step = step_through(all.size(), most_counted);
    bool any_negative = false;
    for (std::size_t i = 0; i < all.size(); i += step)
        any_negative = any_negative || all[i] < 0;
    const double low = any_negative ? -1 : 0;
    const double width = (1 - low) / bins;
    std::vector<double> counts(bins), centres(bins);
    std::size_t looked_at = 0, not_numbers = 0;
    for (std::size_t i = 0; i < all.size(); i += step, ++looked_at) {
        if (std::isnan(all[i])) {
            ++not_numbers;
            continue;
        }
        const double bin = std::clamp((all[i] - low) / width, 0.0, bins - 1.0);
        counts[static_cast<std::size_t>(bin)] += 1;
    }
    for (std::size_t b = 0; b < bins; ++b) {
        counts[b] *= 100 / static_cast<double>(looked_at);
        centres[b] = low + (static_cast<double>(b) + 0.5) * width;
    }
    Figure figure;
    figure.x = {.label = "activation"};
    figure.y = {.label = "share", .unit = "%"};
    figure.series.push_back({.label = "activations",
                             .mark = Mark::bars,
                             .ink = Ink::kernel,
                             .x = std::move(centres),
                             .y = std::move(counts)});
    std::string note;
    if (step > 1)
        note = fmt::format("{} of {} activations, evenly spread.", format_count(looked_at),
                           format_count(all.size()));
    if (not_numbers > 0)
        note += fmt::format(
            "{}{} of them are not a number and stand nowhere here.", note.empty() ? "" : " ",
            format_percent(static_cast<double>(not_numbers) / static_cast<double>(looked_at)).text());
    return {.id = "activations",
            .title = "Distribution of the activations",
            .origin = Origin::measured,
            .content = std::move(figure),
            .note = std::move(note)};
}

/// The relative error of a sample of the activations against |v|.
std::optional<Plot> error_picture(const Report& report, const Array& activations) {
    // An exact result has no place on a logarithmic axis: it is drawn at the bottom.
    constexpr double exact = 1e-9;
    const auto greyscales = get(report.input, "greyscales").as<float>();
    const auto weights = get(report.input, "weights").as<float>();
    const auto all = activations.as<float>();
    const double gain = gain_f32(report.values);
    Series errors{.label = "GPU", .mark = Mark::scatter, .ink = Ink::kernel};
    std::size_t not_numbers = 0;
    double least = INFINITY, most = 0;
    const std::size_t step = step_through(all.size(), most_compared);
    for (std::size_t i = 0; i < all.size(); i += step) {
        const double right = activation(greyscales[i], weights[i], gain);
        if (std::abs(right) < 1e-30) continue;
        if (std::isnan(all[i])) {
            ++not_numbers;
            continue;
        }
        const double v = std::abs(gain * greyscales[i] / 255 * weights[i]);
        least = std::min(least, v);
        most = std::max(most, v);
        errors.x.push_back(v);
        errors.y.push_back(std::max(std::abs(all[i] - right) / std::abs(right), exact));
    }
    if (errors.x.empty()) return std::nullopt;
    const double allowed = tolerance(report.values).relative;
    Figure figure;
    figure.x = {.label = "|v|", .scale = AxisScale::logarithmic};
    figure.y = {.label = "relative error", .scale = AxisScale::logarithmic};
    figure.series.push_back(std::move(errors));
    figure.series.push_back({.label = "allowed",
                             .mark = Mark::line,
                             .ink = Ink::caution,
                             .x = {least, most},
                             .y = {allowed, allowed}});
    std::string note = "Against tanh in double; exact ones stand at the bottom.";
    if (not_numbers > 0)
        note += fmt::format(" {} of the sample are not a number.", format_count(not_numbers));
    return Plot{.id = "error",
                .title = "How far off, by the size of v",
                .origin = Origin::measured,
                .content = std::move(figure),
                .note = std::move(note)};
}

/// The user's picture and what the layer makes of it.
std::optional<Plot> before_and_after(const Report& report, const NamedArray& activations) {
    for (const NamedArray& input : report.input) {
        if (input.name != "greyscales" || input.width == 0) continue;
        const auto all = activations.array->as<float>();
        float brightest = 0;
        for (std::size_t i = 0; i < all.size(); i += step_through(all.size(), most_counted))
            brightest = std::max(brightest, all[i]);
        const double white = brightest > 0 ? brightest : 1;
        Pictures pictures;
        pictures.pictures = {{"greyscales", input.width, input.array, 0, 255},
                             {"activations", input.width, activations.array, 0, white}};
        return Plot{.id = "picture",
                    .title = "In and out",
                    .origin = Origin::measured,
                    .content = std::move(pictures),
                    .note = fmt::format("White is grey level 255 on the left and activation {} on the right.",
                                        format_significant(white))};
    }
    return std::nullopt;
}

}  // namespace

std::vector<Plot> plots(const PlotInput& input) {
    std::vector<Plot> all;
    if (auto timeline = timeline_picture(input)) all.push_back(std::move(*timeline));
    all.push_back(bytes_moved_by_variant(input.values, input.limits));
    if (!input.report) return all;
    for (const NamedArray& output : input.report->outputs) {
        if (output.name != "activations" || output.array->empty() || !find(input.report->input, "greyscales"))
            continue;
        if (auto picture = before_and_after(*input.report, output)) all.push_back(std::move(*picture));
        all.push_back(distribution(*output.array));
        if (auto error = error_picture(*input.report, *output.array)) all.push_back(std::move(*error));
    }
    return all;
}

}  // namespace gridstride::lessons::hidden_layer

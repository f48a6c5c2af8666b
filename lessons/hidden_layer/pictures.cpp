// Pictures of a run: what happened when, what was moved, and what came of it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/units.h"
#include "figures/recorded_pictures.h"
#include "hidden_layer/hidden_layer.h"
#include "lesson/stock.h"

namespace gridstride::lessons::hidden_layer {

namespace {

// Pictures are made several times a second while runs arrive: they look at so many activations, evenly
// spread.
constexpr std::size_t most_counted = 100'000;
constexpr std::size_t most_compared = 2'000;

/// The array is called by what it holds in the end; until the last kernel it holds values.
void call_values(Timeline::Row& row) {
    const auto last_kernel = std::find_if(row.bars.rbegin(), row.bars.rend(),
                                          [](const Timeline::Bar& bar) { return bar.ink == Ink::kernel; });
    for (auto bar = row.bars.begin(); bar < last_kernel.base(); ++bar)
        if (const std::size_t at = bar->label.find(" activations"); at != std::string::npos)
            bar->label.replace(at, std::string::npos, " values");
}

/// With the bench's values, in the lesson's order.
std::vector<Plan> plan_of_each_variant(const Prepared& asked) {
    std::vector<Plan> plans;
    for (const Variant& variant : asked.lesson->variants) {
        Experiment other = asked.experiment;
        other.variant = variant.id;
        plans.push_back(&variant == asked.variant
                            ? asked.plan
                            : prepare(*asked.lesson, std::move(other), asked.limits).plan);
    }
    return plans;
}

/// The steps of each variant, one after another.
Plot trips_of_variants(const Prepared& asked, const std::vector<Plan>& plans) {
    enum Cell : std::uint8_t { up, computes, down, host };
    Cells cells{.kinds = {{"goes up", Ink::upload},
                          {"a kernel", Ink::kernel},
                          {"comes down", Ink::download},
                          {"the host waits and submits again", Ink::wait}},
                .cell_name = "step"};
    for (std::size_t i = 0; i < plans.size(); ++i) {
        Cells::Row row{.label = asked.lesson->variants[i].id};
        std::uint64_t trips = 0, submissions = 1;
        for (const Step& step : plans[i].steps) {
            const bool uploads = std::holds_alternative<Upload>(step);
            const bool downloads = std::holds_alternative<Download>(step);
            const bool ends = std::holds_alternative<SubmitEnd>(step);
            trips += uploads || downloads;
            submissions += ends;
            row.kinds.push_back(uploads ? up : downloads ? down : ends ? host : computes);
        }
        row.note = counted(trips, "trip") + ", " + counted(submissions, "submission");
        cells.rows.push_back(std::move(row));
    }
    return {.id = "trips",
            .title = "What the device is asked for, step by step",
            .origin = Origin::computed,
            .content = std::move(cells),
            .note = "A cell for each step, all of one size: it says nothing about time."};
}

/// tanh up to the largest v of this gain, beside v itself.
Plot tanh_curve(const Values& values) {
    constexpr std::size_t points = 300;
    constexpr double least_end = 3;  // where tanh is nearly 1
    const double end = std::max<double>(least_end, gain_f32(values)), begin = 0.01;
    const bool logarithmic = end > 10 * least_end;  // else all that bends is in the first pixels
    Series curve{.label = "tanh(v)", .ink = Ink::kernel}, line{.label = "v", .ink = Ink::quiet};
    for (std::size_t i = 0; i <= points; ++i) {
        const double part = static_cast<double>(i) / points;
        const double v = logarithmic ? begin * std::pow(end / begin, part) : end * part;
        curve.x.push_back(v);
        curve.y.push_back(std::tanh(v));
        if (v > 1) continue;
        line.x.push_back(v);
        line.y.push_back(v);
    }
    return {.id = "tanh",
            .title = "tanh bends the values",
            .origin = Origin::computed,
            .content =
                Figure{.x = {.label = "v", .scale = logarithmic ? AxisScale::logarithmic : AxisScale::linear},
                       .y = {.label = "activation"},
                       .series = {std::move(line), std::move(curve)}}};
}

/// Bytes an element, from each variant's plan.
Plot bytes_moved_by_variant(const Prepared& asked, const std::vector<Plan>& plans) {
    Figure figure{.y = {.label = "bytes an element"}, .horizontal = true, .value_labels = true};
    figure.series = {{.label = "uploads", .mark = Mark::stacked_bars, .ink = Ink::upload},
                     {.label = "kernels", .mark = Mark::stacked_bars, .ink = Ink::kernel},
                     {.label = "downloads", .mark = Mark::stacked_bars, .ink = Ink::download}};
    const std::uint64_t n = asked.values()[key::elements];
    for (const Plan& plan : plans) {
        figure.x.categories.push_back(asked.lesson->variants[figure.x.categories.size()].id);
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

/// The user's picture and what the layer makes of it. A matrix is one too, but a line or two of numbers are
/// none: the file that --save-input writes here has two, of all grey levels and of all weights.
std::optional<Plot> before_and_after(const NamedArray& greyscales, const NamedArray& activations) {
    constexpr std::uint64_t least_lines = 3;
    const std::uint64_t columns = greyscales.width;
    if (columns < least_lines || greyscales.array->count() / columns < least_lines) return std::nullopt;
    double brightest = 0;
    for (const double activation : numbers_of(*activations.array, most_counted))
        brightest = std::max(brightest, activation);
    const double white = brightest > 0 ? brightest : 1;
    return Plot{.id = "picture",
                .title = "In and out",
                .content = Cells{.numbers = {{"greyscales", greyscales.width, greyscales.array},
                                             {"activations", greyscales.width, activations.array, 0, white}}},
                .note = fmt::format("White is grey level 255 on the left and activation {} on the right.",
                                    format_significant(white))};
}

/// How many of a sample of the activations lie in each of 40 intervals.
Plot distribution(const Array& activations) {
    constexpr std::size_t bins = 40;
    const std::vector<double> sample = numbers_of(activations, most_counted);
    const auto each = 1 / static_cast<double>(sample.size());
    const bool any_negative = std::any_of(sample.begin(), sample.end(), [](double a) { return a < 0; });
    const double low = any_negative ? -1 : 0;
    Series bars = histogram_of(sample, low, (1 - low) / bins, bins, 100 * each);
    bars.label = "activations";
    bars.ink = Ink::kernel;
    std::string note;
    if (sample.size() < activations.count())
        note = fmt::format("{} of {} activations, evenly spread.", format_count(sample.size()),
                           format_count(activations.count()));
    const auto not_numbers =
        std::count_if(sample.begin(), sample.end(), [](double a) { return std::isnan(a); });
    if (not_numbers > 0)
        note += fmt::format("{}{} of them are not a number and stand nowhere here.", note.empty() ? "" : " ",
                            format_percent(static_cast<double>(not_numbers) * each).text());
    return {.id = "activations",
            .title = "Distribution of the activations",
            .content = Figure{.x = {.label = "activation"},
                              .y = {.label = "share", .unit = "%"},
                              .series = {std::move(bars)}},
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
    std::vector<std::pair<double, double>> allowed;  // by |v|
    std::size_t not_numbers = 0;
    for_each_sampled(all.size(), most_compared, [&](std::size_t i) {
        const auto [right, may_be_off, or_nan] = activation(greyscales[i], weights[i], gain);
        if (std::abs(right) < 1e-30) return;
        const double size = std::abs(gain * greyscales[i] / 255 * weights[i]);
        allowed.emplace_back(size, may_be_off / std::abs(right));
        not_numbers += std::isnan(all[i]);
        if (std::isnan(all[i])) return;
        errors.x.push_back(size);
        errors.y.push_back(std::max(std::abs(all[i] - right) / std::abs(right), exact));
    });
    if (errors.x.empty()) return std::nullopt;
    std::ranges::sort(allowed);
    Series bound{.label = "allowed", .ink = Ink::caution};
    for (const auto& [size, error] : allowed) {
        bound.x.push_back(size);
        bound.y.push_back(error);
    }
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
    if (std::optional<Plot> timeline = timeline_of_variants(input)) {
        std::ranges::for_each(std::get<Timeline>(timeline->content).rows, &call_values);
        add(std::move(timeline));
    }
    if (!input.asked.plan.steps.empty()) {
        const std::vector<Plan> plans = plan_of_each_variant(input.asked);
        add(trips_of_variants(input.asked, plans));
        add(bytes_moved_by_variant(input.asked, plans));
        add(who_takes_which(input, "greyscales", "pixel"));
        add(tanh_curve(input.asked.values()));
    }
    if (!input.report) return all;
    const Report& report = *input.report;
    if (report.input.empty() || report.outputs.empty() || report.outputs.front().array->empty()) return all;
    const NamedArray& activations = report.outputs.front();  // there is no other
    add(before_and_after(report.input.front(), activations));
    add(distribution(*activations.array));
    if (!report.computed) add(error_picture(report, *activations.array));
    return all;
}

}  // namespace gridstride::lessons::hidden_layer

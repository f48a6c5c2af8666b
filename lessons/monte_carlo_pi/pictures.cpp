#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "base/units.h"
#include "lesson/stock.h"
#include "monte_carlo_pi/monte_carlo_pi.h"

namespace gridstride::lessons::monte_carlo_pi {

namespace {

constexpr double pi = std::numbers::pi;

/// "3.1415 ± 0.0016"
std::string with_uncertainty(double estimate, double sigma) {
    const int decimals = std::max(1 - static_cast<int>(std::floor(std::log10(sigma))), 0);
    return fmt::format("{:.{}f} ± {:.{}f}", estimate, decimals, sigma, decimals);
}

/// How they were counted is not seen: they are made anew for the picture.
Plot points_picture(const PictureInput& input) {
    constexpr std::uint64_t few = 900;
    const Prepared& asked = input.asked;
    const Values& values = asked.values();
    const std::uint64_t count = std::min(few, values[key::elements]);
    Series inside{.label = "inside", .mark = Mark::scatter, .ink = Ink::upload};
    Series outside{.label = "outside", .mark = Mark::scatter, .ink = Ink::kernel};
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto words = generator_of(*asked.variant)(static_cast<std::uint32_t>(i / 2),
                                                        static_cast<std::uint32_t>(values[key::seed]));
        const double x = words[2 * (i % 2)] * 0x1p-32, y = words[2 * (i % 2) + 1] * 0x1p-32;
        Series& series = x * x + y * y < 1 ? inside : outside;
        series.x.push_back(x);
        series.y.push_back(y);
    }
    Series arc{.label = "quarter of a circle", .mark = Mark::line, .ink = Ink::quiet};
    constexpr int parts = 90;
    for (int i = 0; i <= parts; ++i) {
        arc.x.push_back(std::sin(pi / 2 * i / parts));
        arc.y.push_back(std::cos(pi / 2 * i / parts));
    }
    std::string note;
    if (input.report && !input.report->computed)
        if (const auto estimates = estimates_of(values, input.report->outputs, circle); !estimates.empty())
            note = fmt::format("In the run all {} say: π is {}, one standard deviation.",
                               format_count(values[key::elements]),
                               with_uncertainty(estimates.front(), circle.sigma(values[key::elements])));
    return {.id = "points",
            .title = fmt::format("The first {}", counted(count, "point")),
            .origin = Origin::computed,
            .content = Figure{.x = {.label = "x"},
                              .y = {.label = "y"},
                              .series = {std::move(inside), std::move(outside), std::move(arc)},
                              .to_scale = true},
            .note = std::move(note)};
}

/// What each seed's points say, with twice the standard deviation on either side.
std::optional<Plot> estimates_picture(const Report& report) {
    const Values& values = report.experiment.values;
    const std::vector<double> estimates = estimates_of(values, report.outputs, circle);
    if (estimates.empty()) return std::nullopt;
    const double sigma = circle.sigma(values[key::elements]);
    Series near{.label = "pi lies within 2 σ", .mark = Mark::scatter, .ink = Ink::upload};
    Series far{.label = "pi lies outside", .mark = Mark::scatter, .ink = Ink::wrong};
    for (std::size_t i = 0; i < estimates.size(); ++i) {
        Series& series = std::abs(estimates[i] - pi) <= 2 * sigma ? near : far;
        series.x.push_back(static_cast<double>(values[key::seed] + i));
        series.y.push_back(estimates[i]);
        series.y_low.push_back(estimates[i] - 2 * sigma);
        series.y_high.push_back(estimates[i] + 2 * sigma);
    }
    Figure figure{.x = {.label = "seed", .whole_numbers = true},
                  .y = {.label = "estimate"},
                  .markers = {{pi, "π", /*on_y=*/true}}};
    for (Series* const series : {&near, &far})
        if (!series->y.empty()) figure.series.push_back(std::move(*series));
    return Plot{.id = "estimates",
                .title = estimates.size() > 1 ? "What the seeds say of π" : "What the points say of π",
                .origin = report.computed ? Origin::computed : Origin::measured,
                .content = std::move(figure),
                .note = fmt::format("The first seed says {}, one standard deviation.",
                                    with_uncertainty(estimates.front(), sigma))};
}

/// Of the runs so far with the bench's variant, each with its seeds together.
Plot error_picture(const Prepared& asked, std::span<const Report* const> history) {
    const auto line = [](const char* label, Ink ink, double times) {
        Series series{.label = label, .mark = Mark::line, .ink = ink};
        for (const int log2 : {0, 10, 20, 30}) {
            series.x.push_back(std::ldexp(1, log2));
            series.y.push_back(times * circle.sigma(std::uint64_t{1} << log2));
        }
        return series;
    };
    Series runs{.label = "runs", .mark = Mark::scatter, .ink = Ink::kernel};
    for (const Report* const report : history) {
        const Experiment& run = report->experiment;
        const auto error = metric(*report, "error");
        if (run.variant != asked.variant->id || run.kernel || !error || *error <= 0) continue;
        runs.x.push_back(static_cast<double>(run.values[key::elements]));
        runs.y.push_back(*error);
    }
    const bool any = !runs.y.empty();
    Figure figure{.x = {.label = "points", .scale = AxisScale::logarithmic, .whole_numbers = true},
                  .y = {.label = "distance to π", .scale = AxisScale::logarithmic},
                  .series = {line("σ, which falls as 1/√n", Ink::quiet, 1), line("4 σ", Ink::caution, 4)}};
    if (any) figure.series.push_back(std::move(runs));
    return {.id = "error",
            .title = "Distance to π against points",
            .origin = any ? Origin::measured : Origin::computed,
            .content = std::move(figure),
            .note =
                "Lines: what chance allows, computed. A run with several seeds stands at the root mean "
                "square of theirs."};
}

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    std::vector<Plot> all = {points_picture(input)};
    if (input.report)
        if (auto plot = estimates_picture(*input.report)) all.push_back(std::move(*plot));
    all.push_back(error_picture(input.asked, input.history));
    return all;
}

}  // namespace gridstride::lessons::monte_carlo_pi

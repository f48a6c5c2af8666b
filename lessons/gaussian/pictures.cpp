#include "gaussian/pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/units.h"
#include "gaussian/break_even.h"
#include "gaussian/reference.h"

namespace gridstride::lessons::gaussian {

namespace {

constexpr std::size_t most_samples = 100000;

/// An input and its result, where the report has both.
struct Measured {
    std::span<const float> x;
    std::span<const float> densities;
};
std::optional<Measured> measured(const Report* report) {
    if (!report) return std::nullopt;
    const Array* x = find(report->input, "x");
    const Array* densities = find(report->outputs, "densities");
    if (!x || !densities || x->empty() || x->count() != densities->count()) return std::nullopt;
    return Measured{x->as<float>(), densities->as<float>()};
}

/// Up to `most` indices below count, evenly spread. x is random, so this is a fair sample.
template <class Visit>
void for_each_sampled(std::size_t count, std::size_t most, Visit visit) {
    const std::size_t samples = std::min(count, most);
    for (std::size_t s = 0; s < samples; ++s)
        visit(s * count / samples);
}

/// Evenly spread over all x, and densely where a narrow bell rises.
std::vector<double> places_along(double mean, double sigma) {
    constexpr int evenly = 300, over_the_bell = 240;
    constexpr double width = highest_x - lowest_x, sigmas = 6;
    std::vector<double> all;
    for (int i = 0; i <= evenly; ++i)
        all.push_back(lowest_x + width * i / evenly);
    for (int i = 0; i <= over_the_bell; ++i) {
        const double x = mean + sigma * sigmas * (2.0 * i / over_the_bell - 1);
        if (x > lowest_x && x < highest_x) all.push_back(x);
    }
    std::sort(all.begin(), all.end());
    // Where both kinds meet, two that nearly coincide are one.
    const double apart = std::min(sigma / 50, width / evenly / 2);
    const auto close = [&](double a, double b) { return b - a < apart; };
    all.erase(std::unique(all.begin(), all.end(), close), all.end());
    return all;
}

/// A few results, so far apart that the curve is seen between them: one for each stretch of x and, where the
/// bell is narrow, of the bell.
class Points {
 public:
    Points(double mean, double sigma) : mean_(mean), sigma_(sigma) {}

    void add(double x, double density) {
        constexpr double along_x = 60, along_the_bell = 120, sigmas = 6;
        const double z = (x - mean_) / sigma_;
        const bool in_the_bell = std::abs(z) < sigmas;
        const auto stretch =
            static_cast<int>(std::floor(in_the_bell ? (z + sigmas) / (2 * sigmas) * along_the_bell
                                                    : (x - lowest_x) / (highest_x - lowest_x) * along_x));
        if (taken_.insert({in_the_bell, stretch}).second) take(x, density);
    }
    void take(double x, double density) {
        x_.push_back(x);
        y_.push_back(density);
    }
    std::size_t count() const { return x_.size(); }
    Series series() && {
        return {.label = "GPU",
                .mark = Mark::scatter,
                .ink = Ink::kernel,
                .x = std::move(x_),
                .y = std::move(y_)};
    }

 private:
    double mean_, sigma_;
    std::set<std::pair<bool, int>> taken_;
    std::vector<double> x_, y_;
};

Plot curve_picture(const Values& values, const std::optional<Measured>& run) {
    const double mean = values[key::mean], sigma = values[key::sigma];
    Figure figure;
    figure.x = {.label = "x", .unit = "", .categories = {}};
    figure.y = {.label = "density", .unit = "", .categories = {}};
    Series definition{.label = "definition", .mark = Mark::line, .ink = Ink::cpu, .x = {}, .y = {}};
    definition.x = places_along(mean, sigma);
    for (const double x : definition.x)
        definition.y.push_back(density(x, mean, sigma));
    figure.series.push_back(std::move(definition));
    Plot plot{.id = "curve", .title = "The curve", .origin = Origin::computed, .content = {}, .note = {}};
    if (run) {
        constexpr std::size_t few = 100;
        const std::size_t count = run->x.size();
        Points points(mean, sigma);
        for_each_sampled(count, most_samples, [&](std::size_t i) {
            count <= few ? points.take(run->x[i], run->densities[i])
                         : points.add(run->x[i], run->densities[i]);
        });
        plot.title = "The curve, and what the GPU computed";
        plot.origin = Origin::measured;
        plot.note = points.count() == count ? fmt::format("All {} densities.", format_count(count))
                                            : fmt::format("{} of the {} densities.",
                                                          format_count(points.count()), format_count(count));
        figure.series.push_back(std::move(points).series());
    }
    plot.content = std::move(figure);
    return plot;
}

/// Distances from the definition, counted in steps of f32 at its value.
class UlpErrors {
 public:
    UlpErrors(const Values& values, const Measured& run) {
        const double mean = values[key::mean], sigma = values[key::sigma];
        const double smallest = absolute_bound(sigma);
        for_each_sampled(run.x.size(), most_samples, [&](std::size_t i) {
            const double right = density(run.x[i], mean, sigma);
            // Below, a device may give 0, and the steps of f32 no longer shrink with the number.
            if (right < smallest) {
                ++too_small_;
                return;
            }
            const double step = std::ldexp(1.0, std::ilogb(right) - 23);
            const double error = (run.densities[i] - right) / step;
            if (std::isfinite(error)) errors_.push_back(error);
        });
    }

    std::optional<Plot> picture() const {
        if (errors_.empty()) return std::nullopt;
        double largest = 0;
        for (const double error : errors_)
            largest = std::max(largest, std::abs(error));
        // As narrow as keeps them to forty or so.
        double width = 0.0625;
        while (largest / width > 20)
            width *= 2;
        std::map<long, std::size_t> counts;
        const long last = std::lround(largest / width);
        for (long bin = -last; bin <= last; ++bin)
            counts[bin] = 0;
        for (const double error : errors_)
            ++counts[std::lround(error / width)];
        Series bars{
            .label = "share of the results", .mark = Mark::bars, .ink = Ink::series, .x = {}, .y = {}};
        for (const auto& [bin, count] : counts) {
            bars.x.push_back(static_cast<double>(bin) * width);
            bars.y.push_back(100 * static_cast<double>(count) / static_cast<double>(errors_.size()));
        }
        Figure figure;
        figure.x = {.label = "distance from the definition in double", .unit = "ulp", .categories = {}};
        figure.y = {.label = "of the results", .unit = "%", .categories = {}};
        figure.series.push_back(std::move(bars));
        std::string note = fmt::format(
            "1 ulp is the step from one f32 to the next. Of {} results the farthest is {} ulp off.",
            format_count(errors_.size()), format_significant(largest, 2));
        if (too_small_ > 0)
            note += fmt::format(" {} more, so small that a device may take them for 0, are left out.",
                                format_count(too_small_));
        return Plot{.id = "ulp_error",
                    .title = "Error in ulp",
                    .origin = Origin::measured,
                    .content = std::move(figure),
                    .note = std::move(note)};
    }

 private:
    std::vector<double> errors_;
    std::size_t too_small_ = 0;
};

double median_of(const Timing& timing) {
    return timing.samples.empty() ? 0 : timing.summary().median;
}

std::optional<Plot> transfers_picture(const Report& report) {
    const Timings& timings = report.timings;
    if (timings.wall.samples.empty()) return std::nullopt;
    Figure figure;
    figure.horizontal = true;
    figure.x.categories = {"GPU, kernel alone", "GPU, with transfers", "CPU, one thread", "CPU, all threads"};
    figure.y = {.label = "time", .unit = "ns", .categories = {}};
    const auto add = [&](std::string label, Ink ink, std::vector<double> times) {
        figure.series.push_back({.label = std::move(label),
                                 .mark = Mark::stacked_bars,
                                 .ink = ink,
                                 .x = {},
                                 .y = std::move(times)});
    };
    const double upload = median_of(timings.upload), kernel = median_of(timings.kernel),
                 download = median_of(timings.download);
    add("upload", Ink::upload, {0, upload, 0, 0});
    add("kernel", Ink::kernel, {kernel, kernel, 0, 0});
    add("download", Ink::download, {0, download, 0, 0});
    add("submit and wait", Ink::wait,
        {0, std::max(0.0, median_of(timings.wall) - upload - kernel - download), 0, 0});
    const double all_threads = timings.more_cpu.empty() ? 0 : median_of(timings.more_cpu.front());
    add("CPU", Ink::cpu, {0, 0, median_of(timings.cpu), all_threads});
    return Plot{.id = "with_and_without_transfers",
                .title = "With and without the transfers",
                .origin = Origin::measured,
                .content = std::move(figure),
                .note =
                    "Medians. The kernel alone counts when the numbers already are on the device and "
                    "stay there."};
}

}  // namespace

std::vector<Plot> plots(const PlotInput& input) {
    std::vector<Plot> all;
    const std::optional<Measured> run = measured(input.report);
    all.push_back(curve_picture(input.values, run));
    if (run)
        if (auto errors = UlpErrors(input.values, *run).picture()) all.push_back(std::move(*errors));
    if (input.report)
        if (auto transfers = transfers_picture(*input.report)) all.push_back(std::move(*transfers));
    if (auto crossing = break_even_picture(input.variant, input.history)) all.push_back(std::move(*crossing));
    return all;
}

}  // namespace gridstride::lessons::gaussian

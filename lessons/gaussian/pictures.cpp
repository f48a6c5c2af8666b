#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "base/units.h"
#include "figures/recorded_pictures.h"
#include "gaussian/gaussian.h"
#include "lesson/stock.h"

namespace gridstride::lessons::gaussian {

namespace {

/// Evenly spread over the run: x is random, so they are a fair sample.
constexpr std::size_t most_samples = 100000;

/// The inputs and results of a run on a device, where the report has both.
struct Measured {
    Bell bell;
    std::span<const float> x, densities;
};
std::optional<Measured> measured(const Report* report) {
    if (!report || report->computed) return std::nullopt;
    const Array* x = find(report->input, "x");
    const Array* densities = find(report->outputs, "densities");
    if (!x || !densities || x->empty() || x->count() != densities->count()) return std::nullopt;
    return Measured{Bell(report->experiment.values), x->as<float>(), densities->as<float>()};
}

constexpr double sigmas_drawn = 6;  ///< to either side of the mean

/// Evenly spread over all x, and densely where a narrow bell rises.
std::vector<double> places_along(const Bell& bell) {
    constexpr int evenly = 300, over_the_bell = 240;
    constexpr double width = highest_x - lowest_x;
    std::vector<double> all;
    for (int i = 0; i <= evenly; ++i)
        all.push_back(lowest_x + width * i / evenly);
    for (int i = 0; i <= over_the_bell; ++i) {
        const double x = bell.mean + bell.sigma * sigmas_drawn * (2.0 * i / over_the_bell - 1);
        if (x > lowest_x && x < highest_x) all.push_back(x);
    }
    std::sort(all.begin(), all.end());
    // Where both kinds meet, two that nearly coincide are one.
    const double apart = std::min(bell.sigma / 50, width / evenly / 2);
    const auto close = [&](double a, double b) { return b - a < apart; };
    all.erase(std::unique(all.begin(), all.end(), close), all.end());
    return all;
}

/// A few results, so far apart that the curve is seen between them: one for each tenth of x and, in the bell,
/// for each tenth of sigma.
Series points_of(const Measured& run) {
    constexpr std::size_t few = 100;
    Series points{.label = "GPU", .mark = Mark::scatter, .ink = Ink::kernel};
    std::set<std::pair<bool, double>> taken;
    for_each_sampled(run.x.size(), most_samples, [&](std::size_t i) {
        const double x = run.x[i], z = run.bell.z(x);
        const bool in_the_bell = std::abs(z) < sigmas_drawn;
        const double tenth = std::floor(10 * (in_the_bell ? z : x));
        if (run.x.size() > few && !taken.insert({in_the_bell, tenth}).second) return;
        points.x.push_back(x);
        points.y.push_back(run.densities[i]);
    });
    return points;
}

Plot curve_picture(const Bell& bell, const std::optional<Measured>& run) {
    Series definition{.label = "definition", .ink = Ink::cpu, .x = places_along(bell)};
    for (const double x : definition.x)
        definition.y.push_back(bell.density(x));
    Figure figure{.x = {.label = "x"}, .y = {.label = "density"}, .series = {std::move(definition)}};
    if (!run)
        return {
            .id = "curve", .title = "The curve", .origin = Origin::computed, .content = std::move(figure)};
    Series points = points_of(*run);
    const std::string count = format_count(run->x.size()), drawn = format_count(points.x.size());
    figure.series.push_back(std::move(points));
    return {.id = "curve",
            .title = "The curve, and what the GPU computed",
            .content = std::move(figure),
            .note = drawn == count ? fmt::format("All {} densities.", count)
                                   : fmt::format("{} of the {} densities.", drawn, count)};
}

/// Distances from the definition, counted in steps of f32 at its value, as a histogram.
std::optional<Plot> ulp_picture(const Measured& run) {
    const double smallest = run.bell.absolute_bound();
    std::vector<double> errors;
    double largest = 0;
    std::size_t too_small = 0;
    for_each_sampled(run.x.size(), most_samples, [&](std::size_t i) {
        const double right = run.bell.density(run.x[i]);
        // Below, a device may give 0, and the steps of f32 no longer shrink with the number.
        if (right < smallest) {
            ++too_small;
            return;
        }
        const double error = (run.densities[i] - right) / std::ldexp(1.0, std::ilogb(right) - 23);
        if (!std::isfinite(error)) return;
        errors.push_back(error);
        largest = std::max(largest, std::abs(error));
    });
    if (errors.empty()) return std::nullopt;
    // As narrow as keeps them to forty or so.
    double width = 0.0625;
    while (largest / width > 20)
        width *= 2;
    const double last = std::round(largest / width);
    Series bars = histogram_of(errors, -(last + 0.5) * width, width, 2 * static_cast<std::size_t>(last) + 1,
                               100.0 / static_cast<double>(errors.size()));
    bars.label = "share of the results";
    std::string note =
        fmt::format("1 ulp is the step from one f32 to the next. Of {} results the farthest is {} ulp off.",
                    format_count(errors.size()), format_significant(largest, 2));
    if (too_small > 0)
        note += fmt::format(" {} more, so small that a device may take them for 0, are left out.",
                            format_count(too_small));
    return Plot{.id = "ulp_error",
                .title = "Error in ulp",
                .content = Figure{.x = {.label = "distance from the definition in double", .unit = "ulp"},
                                  .y = {.label = "of the results", .unit = "%"},
                                  .series = {std::move(bars)}},
                .note = std::move(note)};
}

/// Medians in ns; 0: not measured.
struct Times {
    double upload, kernel, download, wall, one_thread, all_threads;
};

Times times_of(const Timings& timings) {
    const auto median = [](const Timing& one) { return one.median().value_or(0); };
    return {median(timings.upload),   median(timings.kernel),
            median(timings.download), median(timings.wall),
            median(timings.cpu),      timings.more_cpu.empty() ? 0 : median(timings.more_cpu.front())};
}

std::optional<Plot> transfers_picture(const Report& report) {
    if (report.timings.wall.samples.empty()) return std::nullopt;
    const Times at = times_of(report.timings);
    Figure figure{.x = {.categories = {"GPU, kernel alone", "GPU, with transfers", "CPU, one thread",
                                       "CPU, all threads"}},
                  .y = {.label = "time", .unit = "ns"},
                  .horizontal = true};
    const auto add = [&](std::string label, Ink ink, std::vector<double> times) {
        figure.series.push_back(
            {.label = std::move(label), .mark = Mark::stacked_bars, .ink = ink, .y = std::move(times)});
    };
    add("upload", Ink::upload, {0, at.upload, 0, 0});
    add("kernel", Ink::kernel, {at.kernel, report.timings.own_kernel().median().value_or(0), 0, 0});
    add("download", Ink::download, {0, at.download, 0, 0});
    add("submit and wait", Ink::wait, {0, std::max(0.0, metric(report, "rest_ns").value_or(0)), 0, 0});
    add("CPU", Ink::cpu, {0, 0, at.one_thread, at.all_threads});
    return Plot{.id = "with_and_without_transfers",
                .title = "With and without the transfers",
                .content = std::move(figure),
                .note =
                    "Medians. The kernel alone counts when the numbers already are on the device "
                    "and stay there."};
}

using TimesBySize = std::map<std::uint64_t, Times>;

/// Of the latest run of the variant at each size that has all four times: logarithmic axes have no 0.
TimesBySize times_by_size(std::string_view variant, std::span<const Report* const> history) {
    TimesBySize latest;
    for (const Report* report : std::views::reverse(history)) {
        const std::uint64_t elements = report->experiment.values[key::elements];
        if (report->experiment.variant != variant || latest.contains(elements)) continue;
        const Times times = times_of(report->timings);
        if (times.kernel > 0 && times.wall > 0 && times.one_thread > 0 && times.all_threads > 0)
            latest.emplace(elements, times);
    }
    return latest;
}

/// A sentence on who is ahead, and a marker where the GPU overtakes: between a size at which it was not
/// faster and the next one, at which it was, where the straight lines between the measured points cross on
/// logarithmic axes; of several such places the last.
std::string compare(const TimesBySize& sizes, double Times::*cpu, std::string_view opponent, Figure& figure) {
    if (sizes.size() < 2) return "";
    // Below 0: the GPU is faster.
    const auto behind = [&](const Times& times) { return std::log(times.wall / times.*cpu); };
    std::optional<double> crossing;
    for (auto high = std::next(sizes.begin()); high != sizes.end(); ++high) {
        const auto low = std::prev(high);
        const double before = behind(low->second), after = behind(high->second);
        if (before < 0 || after >= 0) continue;
        const double part = before / (before - after);
        crossing = std::exp(std::lerp(std::log(low->first), std::log(high->first), part));
    }
    const bool ahead_at_last = behind(sizes.rbegin()->second) < 0;
    if (!crossing)
        return fmt::format(" With transfers, the GPU {} {} among these sizes.",
                           ahead_at_last ? "is always ahead of" : "does not overtake", opponent);
    const std::string about = format_significant(std::round(*crossing), 2);
    figure.markers.push_back({*crossing, fmt::format("{}: {}", opponent, about)});
    return fmt::format(" With transfers, the GPU overtakes {} at about {} elements{}.", opponent, about,
                       ahead_at_last ? "" : ", and falls behind again above");
}

std::optional<Plot> break_even_picture(std::string_view variant, std::span<const Report* const> history) {
    const TimesBySize sizes = times_by_size(variant, history);
    if (sizes.empty()) return std::nullopt;
    Figure figure{.x = {.label = "elements", .scale = AxisScale::logarithmic, .whole_numbers = true},
                  .y = {.label = "time", .unit = "ns", .scale = AxisScale::logarithmic}};
    const auto add = [&](std::string label, Ink ink, double Times::*time) {
        Series line{.label = std::move(label), .ink = ink};
        for (const auto& [elements, times] : sizes) {
            line.x.push_back(static_cast<double>(elements));
            line.y.push_back(times.*time);
        }
        figure.series.push_back(std::move(line));
    };
    add("GPU, kernel alone", Ink::kernel, &Times::kernel);
    add("GPU, with transfers", Ink::upload, &Times::wall);
    add("CPU, one thread", Ink::cpu, &Times::one_thread);
    add("CPU, all threads", Ink::quiet, &Times::all_threads);
    std::string note = compare(sizes, &Times::one_thread, "one thread", figure) +
                       compare(sizes, &Times::all_threads, "all threads", figure);
    if (note.empty()) note = " Run other sizes to see the lines grow.";
    return Plot{
        .id = "break_even",
        .title = "Time against size",
        .content = std::move(figure),
        .note = fmt::format("The latest run of {} at each size, interpolated in between.{}", variant, note)};
}

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    std::vector<Plot> all;
    const auto add = [&](std::optional<Plot> plot) {
        if (plot) all.push_back(std::move(*plot));
    };
    const std::optional<Measured> run = measured(input.report);
    add(curve_picture(Bell(input.asked.values()), run));
    if (run) add(ulp_picture(*run));
    if (input.report) add(transfers_picture(*input.report));
    add(break_even_picture(input.asked.variant->id, input.history));
    // Values that are out of their range have no plan.
    if (!input.asked.plan.steps.empty()) add(who_takes_which(input, "x", "element"));
    return all;
}

}  // namespace gridstride::lessons::gaussian

#include "gaussian/break_even.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "base/units.h"
#include "gaussian/parameters.h"

namespace gridstride::lessons::gaussian {

namespace {

struct Curves {
    std::vector<double> elements, kernel, wall, one_thread, all_threads;
};

bool complete(const Report& report) {
    const Timings& timings = report.timings;
    return !timings.kernel.samples.empty() && !timings.wall.samples.empty() && !timings.cpu.samples.empty() &&
           !timings.more_cpu.empty() && !timings.more_cpu.front().samples.empty();
}

Curves curves_of(std::string_view variant, std::span<const Report* const> history) {
    std::map<std::uint64_t, const Report*> latest;
    for (const Report* report : history)
        if (report->variant == variant && complete(*report)) latest[report->values[key::elements]] = report;
    Curves curves;
    for (const auto& [elements, report] : latest) {
        const Timings& timings = report->timings;
        curves.elements.push_back(static_cast<double>(elements));
        curves.kernel.push_back(timings.kernel.summary().median);
        curves.wall.push_back(timings.wall.summary().median);
        curves.one_thread.push_back(timings.cpu.summary().median);
        curves.all_threads.push_back(timings.more_cpu.front().summary().median);
    }
    return curves;
}

void add(Figure& figure, const Curves& curves, std::string label, Ink ink, const std::vector<double>& times) {
    figure.series.push_back(
        {.label = std::move(label), .mark = Mark::line, .ink = ink, .x = curves.elements, .y = times});
}

/// Below 0: the GPU is faster.
double lead(const SizeTimes& at) {
    return std::log(at.gpu / at.cpu);
}

std::string about(double elements) {
    const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(elements)) - 1));
    return format_count(static_cast<std::uint64_t>(std::round(elements / unit) * unit));
}

/// The marker of a crossing, and a sentence on who is ahead.
void compare(const Curves& curves, const std::vector<double>& cpu, std::string_view opponent, Figure& figure,
             std::string& note) {
    std::vector<SizeTimes> sizes;
    for (std::size_t i = 0; i < curves.elements.size(); ++i)
        if (curves.wall[i] > 0 && cpu[i] > 0) sizes.push_back({curves.elements[i], curves.wall[i], cpu[i]});
    if (sizes.size() < 2) return;
    const bool ahead_at_last = lead(sizes.back()) < 0;
    if (const auto at = crossing(sizes)) {
        figure.markers.push_back({*at, fmt::format("{}: {}", opponent, about(*at))});
        note += fmt::format(" With transfers, the GPU overtakes {} at about {} elements{}.", opponent,
                            about(*at), ahead_at_last ? "" : ", and falls behind again above");
    } else {
        note += fmt::format(" With transfers, the GPU {} {} among these sizes.",
                            ahead_at_last ? "is always ahead of" : "does not overtake", opponent);
    }
}

}  // namespace

std::optional<double> crossing(std::span<const SizeTimes> sizes) {
    for (std::size_t i = sizes.size(); i-- > 1;) {
        const double before = lead(sizes[i - 1]), after = lead(sizes[i]);
        if (before < 0 || after >= 0) continue;
        const double part = before / (before - after);
        const double low = std::log(sizes[i - 1].elements), high = std::log(sizes[i].elements);
        return std::exp(low + part * (high - low));
    }
    return std::nullopt;
}

std::optional<Plot> break_even_picture(std::string_view variant, std::span<const Report* const> history) {
    const Curves curves = curves_of(variant, history);
    if (curves.elements.empty()) return std::nullopt;
    Figure figure;
    figure.x = {.label = "elements", .unit = "", .scale = AxisScale::logarithmic, .categories = {}};
    figure.y = {.label = "time", .unit = "ns", .scale = AxisScale::logarithmic, .categories = {}};
    add(figure, curves, "GPU, kernel alone", Ink::kernel, curves.kernel);
    add(figure, curves, "GPU, with transfers", Ink::upload, curves.wall);
    add(figure, curves, "CPU, one thread", Ink::cpu, curves.one_thread);
    add(figure, curves, "CPU, all threads", Ink::quiet, curves.all_threads);

    std::string note;
    compare(curves, curves.one_thread, "one thread", figure, note);
    compare(curves, curves.all_threads, "all threads", figure, note);
    if (note.empty()) note = " Run other sizes to see the lines grow.";
    return Plot{
        .id = "break_even",
        .title = "Time against size",
        .origin = Origin::measured,
        .content = std::move(figure),
        .note = fmt::format("The latest run of {} at each size, interpolated in between.{}", variant, note)};
}

}  // namespace gridstride::lessons::gaussian

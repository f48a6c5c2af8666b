#include "figures/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/units.h"
#include "lesson/metrics.h"
#include "lesson/stock.h"

namespace gridstride {

namespace {

PlotArray part_of(const std::vector<NamedArray>& arrays, std::string_view name, bool is_output) {
    const auto found = std::ranges::find(arrays, name, &NamedArray::name);
    if (found == arrays.end() || !found->array) return {};
    return {found->array, is_output, found->array->count(), found->array->count()};
}

double number_of(const Report& run, const Parameter& parameter) {
    const Value& value = run.experiment.values.at(parameter.id);
    const auto* const count = std::get_if<std::uint64_t>(&value);
    if (!count) return std::get<double>(value);
    if (*count == 0 && parameter.automatic) return metric(run, parameter.id).value_or(0);
    return static_cast<double>(*count);
}

std::map<double, const Report*> latest_of(std::span<const Report* const> history, const Parameter& parameter,
                                          const std::function<bool(const Report& run)>& counts) {
    std::map<double, const Report*> latest;
    for (const Report* run : history)
        if (counts(*run)) latest.insert_or_assign(number_of(*run, parameter), run);
    return latest;
}

}  // namespace

std::vector<double> PlotArray::numbers() const {
    if (!array) return {};
    std::vector<double> drawn;
    for_each_sampled(count, samples, [&](std::size_t i) { drawn.push_back(array->number(i)); });
    return drawn;
}

FigureBuilder::FigureBuilder(const PictureInput& input, std::string id, std::string title) : input_(input) {
    plot_.id = std::move(id);
    plot_.title = std::move(title);
    plot_.origin = Origin::computed;
}

FigureBuilder& FigureBuilder::x(AxisLabel label) {
    std::tie(figure_.x.label, figure_.x.unit, figure_.x.scale) =
        std::tie(label.label, label.unit, label.scale);
    return *this;
}
FigureBuilder& FigureBuilder::y(AxisLabel label) {
    std::tie(figure_.y.label, figure_.y.unit, figure_.y.scale) =
        std::tie(label.label, label.unit, label.scale);
    return *this;
}
FigureBuilder& FigureBuilder::categories(std::vector<std::string> names) {
    figure_.x.categories = std::move(names);
    return horizontal().value_labels();
}

void FigureBuilder::take(const PlotArray& array) {
    if (!array) {
        left_out_ = true;
        return;
    }
    if (array.is_output && !input_.report->computed) plot_.origin = Origin::measured;
    if (array.samples < array.count)
        note(fmt::format("{} of {}, evenly spaced.", format_count(array.samples), format_count(array.count)));
    else if (array.count < array.all)
        note(fmt::format("The first {} of {}.", format_count(array.count), format_count(array.all)));
}

void FigureBuilder::note_missing(const std::vector<double>& numbers) {
    const auto missing = std::ranges::count_if(numbers, [](double number) { return !std::isfinite(number); });
    if (missing > 0)
        note(fmt::format("{} of them {} not finite, and {} not drawn.", format_count(missing),
                         missing == 1 ? "is" : "are", missing == 1 ? "is" : "are"));
}

FigureBuilder& FigureBuilder::of_array(std::string label, Mark mark, const PlotArray& y, Ink ink) {
    take(y);
    std::vector<double> numbers = y.numbers();
    note_missing(numbers);
    figure_.x.whole_numbers = true;
    return series({.label = std::move(label), .mark = mark, .ink = ink, .y = std::move(numbers)});
}

FigureBuilder& FigureBuilder::scatter(std::string label, const PlotArray& x, const PlotArray& y, Ink ink) {
    take(y);
    if (!x) left_out_ = true;
    if (left_out_) return *this;
    const auto finite_on = [](const Axis& axis, double number) {
        return std::isfinite(number) && (axis.scale == AxisScale::linear || number > 0);
    };
    Series points{.label = std::move(label), .mark = Mark::scatter, .ink = ink};
    for_each_sampled(std::min(x.count, y.count), y.samples, [&](std::size_t i) {
        const double at = x.array->number(i), number = y.array->number(i);
        if (!finite_on(figure_.x, at) || !finite_on(figure_.y, number)) return;
        points.x.push_back(at);
        points.y.push_back(number);
    });
    only_if(!points.x.empty());
    return series(std::move(points));
}

FigureBuilder& FigureBuilder::scatter(std::string label, Points points, Ink ink) {
    if (points.x.empty()) return *this;
    return series({.label = std::move(label),
                   .mark = Mark::scatter,
                   .ink = ink,
                   .x = std::move(points.x),
                   .y = std::move(points.y)});
}

FigureBuilder& FigureBuilder::line(std::string label, std::vector<double> x,
                                   const std::function<double(double)>& of, Ink ink) {
    std::vector<double> y;
    std::ranges::transform(x, std::back_inserter(y), of);
    return line(std::move(label), std::move(x), std::move(y), ink);
}

FigureBuilder& FigureBuilder::waveform(std::string label, const PlotArray& y, Ink ink) {
    take(y);
    figure_.x.whole_numbers = true;
    return series({.label = std::move(label), .ink = ink, .y_array = y.array});
}

FigureBuilder& FigureBuilder::outline(std::string_view output, double tolerance) {
    if (!input_.report || input_.report->computed || left_out_) return *this;
    const Array* const right = input_.report->right(output);
    if (!right) return *this;
    std::vector<double> numbers(
        figure_.series.empty() ? right->count() : std::min(right->count(), figure_.series.back().y.size()));
    right->numbers(0, numbers);
    return series({.label = "CPU reference",
                   .mark = Mark::outline_bars,
                   .ink = Ink::cpu,
                   .y = std::move(numbers),
                   .tolerance = tolerance});
}

FigureBuilder& FigureBuilder::series(Series series) {
    figure_.series.push_back(std::move(series));
    return *this;
}

FigureBuilder& FigureBuilder::histogram(std::string label, std::span<const double> numbers, double low,
                                        double width, std::size_t bins, Ink ink, Mark mark) {
    Series bars = histogram_of(numbers, low, width, bins);
    bars.label = std::move(label);
    bars.mark = mark;
    bars.ink = ink;
    return series(std::move(bars));
}

FigureBuilder& FigureBuilder::distribution(std::string label, const PlotArray& of, double low, double high,
                                           std::size_t bins, Ink ink) {
    take(of);
    const std::vector<double> numbers = of.numbers();
    note_missing(numbers);
    Series bars = histogram_of(numbers, low, (high - low) / static_cast<double>(bins), bins,
                               100 / static_cast<double>(std::max<std::size_t>(numbers.size(), 1)));
    bars.label = std::move(label);
    bars.ink = ink;
    return y({"share", "%"}).series(std::move(bars));
}

FigureBuilder& FigureBuilder::latest_by(std::string_view parameter,
                                        const std::function<std::optional<double>(const Report& run)>& number,
                                        const std::function<bool(const Report& run)>& counts) {
    const Lesson& lesson = *input_.prepared.lesson;
    const Parameter& along = *find(lesson.parameters, parameter);
    x({along.label, along.scale == Scale::linear ? AxisScale::linear : AxisScale::logarithmic});
    figure_.x.whole_numbers = std::holds_alternative<std::uint64_t>(along.default_value);
    plot_.origin = Origin::measured;
    for (const Variant& variant : lesson.variants) {
        const auto runs = latest_of(input_.history, along, [&](const Report& run) {
            return run.experiment.variant == variant.id && !run.experiment.kernel &&
                   number(run).value_or(0) > 0 && (!counts || counts(run));
        });
        if (runs.empty()) continue;
        Series line{.label = variant.title, .mark = runs.size() > 1 ? Mark::line : Mark::scatter};
        for (const auto& [at, run] : runs) {
            line.x.push_back(at);
            line.y.push_back(*number(*run));
        }
        series(std::move(line));
    }
    return only_if(!figure_.series.empty());
}

FigureBuilder& FigureBuilder::marker(Figure::Marker marker) {
    figure_.markers.push_back(std::move(marker));
    return *this;
}
FigureBuilder& FigureBuilder::horizontal() {
    figure_.horizontal = true;
    return *this;
}
FigureBuilder& FigureBuilder::value_labels(bool shown) {
    figure_.value_labels = shown;
    return *this;
}
FigureBuilder& FigureBuilder::to_scale() {
    figure_.to_scale = true;
    return *this;
}
FigureBuilder& FigureBuilder::whole_numbers() {
    figure_.x.whole_numbers = true;
    return *this;
}
FigureBuilder& FigureBuilder::note(std::string_view sentence) {
    if (sentence.empty() || plot_.note.find(sentence) != std::string::npos) return *this;
    if (!plot_.note.empty()) plot_.note += ' ';
    plot_.note += sentence;
    return *this;
}
FigureBuilder& FigureBuilder::measured(bool is_measured) {
    if (is_measured) plot_.origin = Origin::measured;
    return *this;
}
FigureBuilder& FigureBuilder::missing(std::string sentence) {
    plot_.missing = std::move(sentence);
    return *this;
}
FigureBuilder& FigureBuilder::only_if(bool shown) {
    left_out_ = left_out_ || !shown;
    return *this;
}

std::optional<Plot> FigureBuilder::plot() && {
    if (left_out_) return std::nullopt;
    plot_.content = std::move(figure_);
    return std::move(plot_);
}

PlotArray Figures::input(std::string_view name) const {
    return input_.report ? part_of(input_.report->input, name, false) : PlotArray();
}
PlotArray Figures::output(std::string_view name) const {
    return input_.report ? part_of(input_.report->outputs, name, true) : PlotArray();
}

std::map<double, const Report*> Figures::latest_by(
    std::string_view parameter, const std::function<bool(const Report& run)>& counts) const {
    return latest_of(input_.history, *find(input_.prepared.lesson->parameters, parameter), counts);
}

FigureBuilder& Figures::figure(std::string id, std::string title, AxisLabel x, AxisLabel y) {
    figures_.push_back(FigureBuilder(input_, std::move(id), std::move(title)));
    added_.push_back({{}, &figures_.back()});
    return figures_.back().x(std::move(x)).y(std::move(y));
}

void Figures::cells(std::string id, std::string title, Cells cells, std::string note, Origin origin) {
    plot(Plot{.id = std::move(id),
              .title = std::move(title),
              .origin = origin,
              .content = std::move(cells),
              .note = std::move(note)});
}

void Figures::recorded(std::string id, std::string title, const DrawRecorded& draw, std::uint32_t launch) {
    plot(recorded_plot(input_, std::move(id), std::move(title), draw, launch));
}

void Figures::plot(std::optional<Plot> plot) {
    if (plot) added_.push_back({std::move(plot), nullptr});
}

std::vector<Plot> Figures::take() && {
    std::vector<Plot> all;
    for (Added& one : added_)
        if (std::optional<Plot> plot = one.figure ? std::move(*one.figure).plot() : std::move(one.plot))
            all.push_back(std::move(*plot));
    return all;
}

std::vector<Plot> plots_of(const PictureInput& input) {
    if (!input.prepared.task.pictures) return {};
    Figures figures(input);
    input.prepared.task.pictures(figures, input.prepared);
    return std::move(figures).take();
}

}  // namespace gridstride

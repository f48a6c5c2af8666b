#include "figures/figures.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/language.h"
#include "base/units.h"
#include "lesson/building_blocks.h"
#include "lesson/metrics.h"

namespace gridstride {

namespace {

PlotArray find_array(const std::vector<NamedArray>& arrays, std::string_view name, bool is_output) {
    const auto found = std::ranges::find(arrays, name, &NamedArray::name);
    if (found == arrays.end() || !found->array) return {};
    return {found->array, is_output, found->array->count(), found->array->count()};
}

double parameter_value(const Report& run, const Parameter& parameter) {
    const Value& value = run.experiment.values.at(parameter.id);
    const auto* const count = std::get_if<std::uint64_t>(&value);
    if (!count) return std::get<double>(value);
    if (*count == 0 && parameter.is_automatic) return metric(run, parameter.id).value_or(0);
    return static_cast<double>(*count);
}

std::map<double, const Report*> latest_runs(std::span<const Report* const> history,
                                            const Parameter& parameter,
                                            const std::function<bool(const Report& run)>& filter) {
    std::map<double, const Report*> latest;
    for (const Report* run : history)
        if (filter(*run)) latest.insert_or_assign(parameter_value(*run, parameter), run);
    return latest;
}

}  // namespace

std::vector<double> PlotArray::numbers() const {
    if (!array) return {};
    std::vector<double> numbers;
    for_each_sampled(count, samples, [&](std::size_t i) { numbers.push_back(array->number(i)); });
    return numbers;
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
FigureBuilder& FigureBuilder::tick_names(std::vector<std::string> names) {
    figure_.x.categories = std::move(names);
    return *this;
}
FigureBuilder& FigureBuilder::categories(std::vector<std::string> names) {
    return tick_names(std::move(names)).horizontal().value_labels();
}

void FigureBuilder::take(const PlotArray& array) {
    if (!array) {
        is_omitted_ = true;
        return;
    }
    if (array.is_output && !input_.report->computed) plot_.origin = Origin::measured;
    if (array.samples < array.count)
        note(tr("{} of {}, evenly spaced.", format_count(array.samples), format_count(array.count)));
    else if (array.count < array.all)
        note(tr("The first {} of {}.", format_count(array.count), format_count(array.all)));
}

void FigureBuilder::note_nonfinite(const std::vector<double>& numbers) {
    const auto missing = std::ranges::count_if(numbers, [](double number) { return !std::isfinite(number); });
    if (missing > 0)
        note(tr("{} of them {} not finite, and {} not drawn.", format_count(missing),
                missing == 1 ? "is" : "are", missing == 1 ? "is" : "are"));
}

FigureBuilder& FigureBuilder::add_array(std::string label, Mark mark, const PlotArray& y,
                                        ColorRole color_role) {
    take(y);
    std::vector<double> numbers = y.numbers();
    note_nonfinite(numbers);
    figure_.x.whole_numbers = true;
    return series(
        {.label = std::move(label), .mark = mark, .color_role = color_role, .y = std::move(numbers)});
}

FigureBuilder& FigureBuilder::scatter(std::string label, const PlotArray& x, const PlotArray& y,
                                      ColorRole color_role) {
    take(y);
    if (!x) is_omitted_ = true;
    if (is_omitted_) return *this;
    const auto finite_on = [](const Axis& axis, double number) {
        return std::isfinite(number) && (axis.scale == AxisScale::linear || number > 0);
    };
    Series points{.label = std::move(label), .mark = Mark::scatter, .color_role = color_role};
    for_each_sampled(std::min(x.count, y.count), y.samples, [&](std::size_t i) {
        const double at = x.array->number(i), number = y.array->number(i);
        if (!finite_on(figure_.x, at) || !finite_on(figure_.y, number)) return;
        points.x.push_back(at);
        points.y.push_back(number);
    });
    only_if(!points.x.empty());
    return series(std::move(points));
}

FigureBuilder& FigureBuilder::scatter(std::string label, Points points, ColorRole color_role) {
    if (points.x.empty()) return *this;
    return series({.label = std::move(label),
                   .mark = Mark::scatter,
                   .color_role = color_role,
                   .x = std::move(points.x),
                   .y = std::move(points.y)});
}

FigureBuilder& FigureBuilder::line(std::string label, std::vector<double> x,
                                   const std::function<double(double)>& of, ColorRole color_role) {
    std::vector<double> y;
    std::ranges::transform(x, std::back_inserter(y), of);
    return line(std::move(label), std::move(x), std::move(y), color_role);
}

FigureBuilder& FigureBuilder::waveform(std::string label, const PlotArray& y, ColorRole color_role) {
    take(y);
    figure_.x.whole_numbers = true;
    return series({.label = std::move(label), .color_role = color_role, .y_array = y.array});
}

FigureBuilder& FigureBuilder::outline(std::string_view output, double tolerance) {
    if (!input_.report || input_.report->computed || is_omitted_) return *this;
    const Array* const right = input_.report->correct_values(output);
    if (!right) return *this;
    std::vector<double> numbers(
        figure_.series.empty() ? right->count() : std::min(right->count(), figure_.series.back().y.size()));
    right->numbers(0, numbers);
    return series({.label = tr("CPU reference"),
                   .mark = Mark::outline_bars,
                   .color_role = ColorRole::cpu,
                   .y = std::move(numbers),
                   .tolerance = tolerance});
}

FigureBuilder& FigureBuilder::series(Series series) {
    figure_.series.push_back(std::move(series));
    return *this;
}

FigureBuilder& FigureBuilder::histogram(std::string label, std::span<const double> numbers, double low,
                                        double width, std::size_t bins, ColorRole color_role, Mark mark) {
    Series bars = make_histogram(numbers, low, width, bins);
    bars.label = std::move(label);
    bars.mark = mark;
    bars.color_role = color_role;
    return series(std::move(bars));
}

FigureBuilder& FigureBuilder::distribution(std::string label, const PlotArray& of, double low, double high,
                                           std::size_t bins, ColorRole color_role) {
    take(of);
    const std::vector<double> numbers = of.numbers();
    note_nonfinite(numbers);
    Series bars = make_histogram(numbers, low, (high - low) / static_cast<double>(bins), bins,
                                 100 / static_cast<double>(std::max<std::size_t>(numbers.size(), 1)));
    bars.label = std::move(label);
    bars.color_role = color_role;
    return y({"share", "%"}).series(std::move(bars));
}

FigureBuilder& FigureBuilder::latest_by(std::string_view parameter,
                                        const std::function<std::optional<double>(const Report& run)>& number,
                                        const std::function<bool(const Report& run)>& filter) {
    const Lesson& lesson = *input_.prepared.lesson;
    const Parameter& along = *find(lesson.parameters, parameter);
    x({along.label, unit_beside_label(along),
       along.scale == Scale::linear ? AxisScale::linear : AxisScale::logarithmic});
    figure_.x.whole_numbers = std::holds_alternative<std::uint64_t>(along.default_value);
    plot_.origin = Origin::measured;
    for (const Variant& variant : lesson.variants) {
        const auto runs = latest_runs(input_.history, along, [&](const Report& run) {
            return run.experiment.variant == variant.id && !run.experiment.kernel &&
                   number(run).value_or(0) > 0 && (!filter || filter(run));
        });
        if (runs.empty()) continue;
        Series line{.label = variant.title, .mark = runs.size() > 1 ? Mark::line : Mark::scatter};
        for (const auto& [at, run] : runs) {
            line.x.push_back(at);
            line.y.push_back(*number(*run));
        }
        // One point of another variant is no curve.
        if (runs.size() > 1 || variant.id == input_.prepared.experiment.variant) series(std::move(line));
    }
    return only_if(!figure_.series.empty());
}

FigureBuilder& FigureBuilder::marker(Figure::Marker marker) {
    figure_.markers.push_back(std::move(marker));
    return *this;
}
FigureBuilder& FigureBuilder::horizontal() {
    figure_.is_horizontal = true;
    return *this;
}
FigureBuilder& FigureBuilder::value_labels(bool shown) {
    figure_.value_labels = shown;
    return *this;
}
FigureBuilder& FigureBuilder::equal_aspect() {
    figure_.equal_aspect = true;
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
    plot_.missing_reason = std::move(sentence);
    return *this;
}
FigureBuilder& FigureBuilder::only_if(bool shown) {
    is_omitted_ = is_omitted_ || !shown;
    return *this;
}

std::optional<Plot> FigureBuilder::plot() && {
    if (is_omitted_) return std::nullopt;
    plot_.content = std::move(figure_);
    return std::move(plot_);
}

PlotArray Figures::input(std::string_view name) const {
    return input_.report ? find_array(input_.report->input, name, false) : PlotArray();
}
PlotArray Figures::output(std::string_view name) const {
    return input_.report ? find_array(input_.report->outputs, name, true) : PlotArray();
}

std::map<double, const Report*> Figures::latest_by(
    std::string_view parameter, const std::function<bool(const Report& run)>& filter) const {
    return latest_runs(input_.history, *find(input_.prepared.lesson->parameters, parameter), filter);
}

FigureBuilder& Figures::figure(std::string id, std::string title, AxisLabel x, AxisLabel y) {
    figures_.push_back(FigureBuilder(input_, std::move(id), std::move(title)));
    entries_.push_back({{}, &figures_.back()});
    return figures_.back().x(std::move(x)).y(std::move(y));
}

void Figures::cells(std::string id, std::string title, Cells cells, std::string note, Origin origin) {
    plot(Plot{.id = std::move(id),
              .title = std::move(title),
              .origin = origin,
              .content = std::move(cells),
              .note = std::move(note)});
}

void Figures::traced(std::string id, std::string title, const DrawTrace& draw, std::uint32_t launch) {
    plot(trace_plot(input_, std::move(id), std::move(title), draw, launch));
}

void Figures::plot(std::optional<Plot> plot) {
    if (plot) entries_.push_back({std::move(plot), nullptr});
}

std::vector<Plot> Figures::take() && {
    std::vector<Plot> all;
    for (Entry& one : entries_)
        if (std::optional<Plot> plot = one.figure ? std::move(*one.figure).plot() : std::move(one.plot))
            all.push_back(std::move(*plot));
    return all;
}

std::vector<Plot> make_plots(const PictureInput& input) {
    if (!input.prepared.task.pictures) return {};
    Figures figures(input);
    input.prepared.task.pictures(figures, input.prepared);
    return std::move(figures).take();
}

}  // namespace gridstride

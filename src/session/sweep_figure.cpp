#include "session/sweep_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/csv.h"
#include "base/text.h"
#include "base/units.h"
#include "present/axis.h"
#include "present/plot_csv.h"
#include "present/verdict_words.h"
#include "session/sweep_words.h"

namespace gridstride {

namespace {

/// From here on a linear axis would press the smaller half of the values flat.
constexpr double worth_a_log_axis = 12;

/// The unit where it says more than the label: elements are counted in elements.
std::string unit_of(const Parameter& parameter) {
    return in_lower_case(parameter.label) == parameter.unit ? std::string() : parameter.unit;
}

std::string title_of(const Parameter& parameter) {
    const std::string unit = unit_of(parameter);
    return unit.empty() ? parameter.label : parameter.label + ", " + unit;
}

std::string label_of(const Parameter& parameter, const Value& value) {
    const auto* count = std::get_if<std::uint64_t>(&value);
    if (count && !(parameter.automatic && *count == 0)) return format_count(*count);
    return format(parameter, value);
}

/// The value as a place on an axis; nullopt: it is a name.
std::optional<double> place_of(const Parameter& parameter, const Value& value) {
    if (const auto* real = std::get_if<double>(&value)) return *real;
    const auto* count = std::get_if<std::uint64_t>(&value);
    if (!count || (parameter.automatic && *count == 0)) return std::nullopt;
    return static_cast<double>(*count);
}

Axis x_axis(const Parameter& parameter, const std::vector<Value>& values, std::vector<double>* places) {
    Axis axis{parameter.label, unit_of(parameter)};
    bool positive = true;
    for (const Value& value : values) {
        const std::optional<double> place = place_of(parameter, value);
        if (!place) {
            places->resize(values.size());
            std::iota(places->begin(), places->end(), 0.0);
            for (const Value& name : values)
                axis.categories.push_back(label_of(parameter, name));
            return axis;
        }
        positive = positive && *place > 0;
        places->push_back(*place);
    }
    axis.whole_numbers = !std::holds_alternative<double>(parameter.fallback);
    if (positive && parameter.scale != Scale::linear) axis.scale = AxisScale::logarithmic;
    return axis;
}

const char* cost_label(const Sweep& sweep) {
    return sweep.objective() == Objective::kernel_ns ? "kernel" : "kernel an element";
}

Axis cost_axis(const Sweep& sweep) {
    Axis axis{cost_label(sweep), "ns"};
    double low = 0, high = 0;
    for (const SweepCell& cell : sweep.cells()) {
        if (cell.state != CellState::done) continue;
        const double cost = sweep.cost(cell).median;
        low = low > 0 ? std::min(low, cost) : cost;
        high = std::max(high, cost);
    }
    if (low > 0 && high / low > worth_a_log_axis) axis.scale = AxisScale::logarithmic;
    return axis;
}

void add_point(const Sweep& sweep, const SweepCell& cell, double x, Series& series) {
    const MedianInterval cost = sweep.cost(cell);
    series.x.push_back(x);
    series.y.push_back(cost.median);
    series.y_low.push_back(cost.low);
    series.y_high.push_back(cost.high);
    series.notes.push_back(fmt::format("{}, {}{} · click to put it on the bench", verdict_word(*cell.report),
                                       counted(cell.summary.count, "sample"),
                                       cell.report->timings.kernel.noisy ? ", noisy" : ""));
}

/// What a picture that stands alone must say besides its title.
std::string note_of(const Sweep& sweep, const std::string& variant, bool crosses) {
    std::string note = sweep.spec().lesson->title;
    if (!variant.empty()) note += ", " + variant;
    const SweepProgress progress = sweep.progress();
    if (!sweep.finished())
        note += fmt::format(" · {} of {} cells measured", format_count(progress.done),
                            format_count(progress.cells));
    if (crosses) note += " · ✗ on the axis: refused or failed";
    return note;
}

void mark_best(const Sweep& sweep, SweepLines& lines, Figure& figure) {
    const std::optional<BestCell> best = sweep.best();
    if (!best) return;
    const std::set<std::size_t> ties(best->ties.begin(), best->ties.end());
    for (std::size_t s = 0; s < lines.cells.size(); ++s)
        for (std::size_t i = 0; i < lines.cells[s].size(); ++i)
            if (best->cell == lines.cells[s][i] || ties.contains(lines.cells[s][i]))
                lines.rings.push_back({s, i, best->cell == lines.cells[s][i]});
    const SweepCell& cell = sweep.cells()[best->cell];
    std::string label = sweep.finished() ? "best" : "best so far";
    if (sweep.spec().variants.size() > 1) label += ": " + sweep.spec().variants[cell.variant];
    if (!best->ties.empty()) label += fmt::format(", a tie with {} more", best->ties.size());
    figure.markers.push_back({lines.x[cell.at[0]], label});
}

void mark_without_time(const Sweep& sweep, SweepLines& lines) {
    std::set<double> places;  // once, of however many variants
    for (const SweepCell& cell : sweep.cells())
        if (cell.state == CellState::refused || cell.state == CellState::failed)
            places.insert(lines.x[cell.at[0]]);
    lines.crosses.assign(places.begin(), places.end());
}

/// As the CSV of the sweep's rows has it.
std::string status_of(const SweepCell& cell) {
    if (cell.state == CellState::pending) return "pending";
    if (cell.state == CellState::running) return "running";
    return std::string(name(cell.report->status));
}

/// NaN where the samples are too few for 95 %.
double half_interval(const MedianInterval& interval) {
    constexpr double wanted = 0.95;
    if (interval.confidence < wanted) return std::numeric_limits<double>::quiet_NaN();
    return (interval.high - interval.low) / 2;
}

void name_axes(const Sweep& sweep, SweepMap& map) {
    const Parameter &x = sweep.parameter(0), &y = sweep.parameter(1);
    map.x_title = title_of(x);
    map.y_title = title_of(y);
    map.x_heading = csv_heading(x.label, unit_of(x));
    map.y_heading = csv_heading(y.label, unit_of(y));
    map.cost_heading = csv_heading(cost_label(sweep), "ns");
    for (const Value& value : sweep.spec().axes[0].values) {
        map.x_labels.push_back(label_of(x, value));
        map.x_values.push_back(format(x, value));
    }
    for (const Value& value : sweep.spec().axes[1].values) {
        map.y_labels.push_back(label_of(y, value));
        map.y_values.push_back(format(y, value));
    }
}

}  // namespace

SweepLines sweep_lines(const Sweep& sweep) {
    SweepLines lines;
    Figure figure;
    const SweepAxis& axis = sweep.spec().axes.front();
    figure.x = x_axis(sweep.parameter(0), axis.values, &lines.x);
    figure.y = cost_axis(sweep);
    const Mark mark = figure.x.categories.empty() ? Mark::line : Mark::bars;
    figure.value_labels = mark == Mark::bars && sweep.spec().variants.size() == 1;
    std::vector<std::size_t> in_order(axis.values.size());
    std::iota(in_order.begin(), in_order.end(), std::size_t{0});
    std::sort(in_order.begin(), in_order.end(),
              [&](std::size_t a, std::size_t b) { return lines.x[a] < lines.x[b]; });

    Series wrong;
    std::vector<std::pair<double, std::size_t>> wrong_cells;
    for (std::size_t variant = 0; variant < sweep.spec().variants.size(); ++variant) {
        Series series;
        series.label = sweep.spec().variants[variant];
        series.mark = mark;
        std::vector<std::size_t> cells;
        for (const std::size_t row : in_order) {
            const std::size_t index = sweep.index(variant, row, 0);
            const SweepCell& cell = sweep.cells()[index];
            if (cell.state != CellState::done) continue;
            if (!cell.right()) {
                wrong_cells.emplace_back(lines.x[row], index);
                continue;
            }
            add_point(sweep, cell, lines.x[row], series);
            cells.push_back(index);
        }
        figure.series.push_back(std::move(series));
        lines.cells.push_back(std::move(cells));
    }
    if (!wrong_cells.empty()) {
        std::stable_sort(wrong_cells.begin(), wrong_cells.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        wrong.label = "wrong answer";
        wrong.mark = Mark::scatter;
        wrong.ink = Ink::wrong;
        lines.cells.emplace_back();
        for (const auto& [x, index] : wrong_cells) {
            add_point(sweep, sweep.cells()[index], x, wrong);
            lines.cells.back().push_back(index);
        }
        figure.series.push_back(std::move(wrong));
    }
    mark_best(sweep, lines, figure);
    mark_without_time(sweep, lines);
    // Of several the legend names each.
    const std::string only = sweep.spec().variants.size() == 1 ? sweep.spec().variants.front() : "";
    lines.plot = {"sweep", sweep_title(sweep), Origin::measured, std::move(figure),
                  note_of(sweep, only, !lines.crosses.empty())};
    return lines;
}

float SweepMap::shade(double cost) const {
    if (!(high > low) || !(low > 0)) return 0.5F;
    const double part = std::log(cost / low) / std::log(high / low);
    return static_cast<float>(std::clamp(part, 0.0, 1.0));
}

SweepMap sweep_map(const Sweep& sweep, std::size_t variant) {
    SweepMap map;
    const SweepSpec& spec = sweep.spec();
    map.of_several_variants = spec.variants.size() > 1;
    map.variant = spec.variants[variant];
    map.id = map.of_several_variants ? "sweep_" + map.variant : "sweep";
    map.title = sweep_title(sweep);
    map.note = note_of(sweep, map.variant, false);
    name_axes(sweep, map);

    const std::optional<BestCell> best = sweep.best();
    const std::set<std::size_t> ties =
        best ? std::set(best->ties.begin(), best->ties.end()) : std::set<std::size_t>();
    for (std::size_t row = 0; row < map.y_labels.size(); ++row)
        for (std::size_t column = 0; column < map.x_labels.size(); ++column) {
            SweepMap::Cell cell;
            cell.cell = sweep.index(variant, column, row);
            const SweepCell& from = sweep.cells()[cell.cell];
            cell.state = from.state;
            cell.right = from.right();
            cell.best = best && best->cell == cell.cell;
            cell.tie = ties.contains(cell.cell);
            cell.status = status_of(from);
            if (from.state == CellState::done) {
                cell.cost = sweep.cost(from).median;
                cell.half = half_interval(sweep.cost(from));
            }
            if (cell.right && cell.cost > 0) {
                map.low = map.low > 0 ? std::min(map.low, cell.cost) : cell.cost;
                map.high = std::max(map.high, cell.cost);
            }
            map.cells.push_back(std::move(cell));
        }
    if (!map.any()) return map;
    const Axis axis{cost_label(sweep), "ns", AxisScale::logarithmic};
    const AxisUnit unit = axis_unit(axis, {to_axis(axis.scale, map.low), to_axis(axis.scale, map.high)});
    map.unit = axis_title(axis, unit);
    map.low_text = short_value_text(unit, map.low);
    map.middle_text = short_value_text(unit, std::sqrt(map.low * map.high));
    map.high_text = short_value_text(unit, map.high);
    for (SweepMap::Cell& cell : map.cells) {
        if (cell.state == CellState::done) {
            cell.text = short_value_text(unit, cell.cost);
            cell.short_text = short_value_text(unit, cell.cost, 2);
        }
    }
    return map;
}

std::string sweep_map_csv(const SweepMap& map) {
    const auto number = [](bool measured, double value) {
        return measured && std::isfinite(value) ? fmt::format("{}", value) : std::string();
    };
    std::string text = csv_record({map.x_heading, map.y_heading, "variant", map.cost_heading,
                                   map.cost_heading + " half 95 % interval", "status"});
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        const SweepMap::Cell& cell = map.cells[i];
        const bool measured = cell.state == CellState::done;
        text +=
            csv_record({map.x_values[i % map.x_values.size()], map.y_values[i / map.x_values.size()],
                        map.variant, number(measured, cell.cost), number(measured, cell.half), cell.status});
    }
    return text;
}

}  // namespace gridstride

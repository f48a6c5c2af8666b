#include "sweep/sweep_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "base/csv.h"
#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "present/axis.h"
#include "present/plot_csv.h"
#include "present/verdict_text.h"
#include "sweep/sweep_text.h"

namespace gridstride {

namespace {

/// From this ratio on, a linear axis would flatten the smaller half of the values.
constexpr double min_log_axis_ratio = 12;

std::string value_label(const Parameter& parameter, const Value& value) {
    const auto* count = std::get_if<std::uint64_t>(&value);
    if (count && !(parameter.is_automatic && *count == 0)) return format_count(*count);
    return format(parameter, value);
}

/// Returns the value as a coordinate, or nullopt if it is a name.
std::optional<double> axis_position(const Parameter& parameter, const Value& value) {
    if (const auto* real = std::get_if<double>(&value)) return *real;
    const auto* count = std::get_if<std::uint64_t>(&value);
    if (!count || (parameter.is_automatic && *count == 0)) return std::nullopt;
    return static_cast<double>(*count);
}

Axis x_axis(const Parameter& parameter, const std::vector<Value>& values, std::vector<double>* positions) {
    Axis axis{parameter.label, unit_beside_label(parameter)};
    bool positive = true;
    for (const Value& value : values) {
        const std::optional<double> position = axis_position(parameter, value);
        if (!position) {
            positions->resize(values.size());
            std::iota(positions->begin(), positions->end(), 0.0);
            for (const Value& name : values)
                axis.categories.push_back(value_label(parameter, name));
            return axis;
        }
        positive = positive && *position > 0;
        positions->push_back(*position);
    }
    axis.whole_numbers = !std::holds_alternative<double>(parameter.default_value);
    if (positive && parameter.scale != Scale::linear) axis.scale = AxisScale::logarithmic;
    return axis;
}

const char* cost_label(const Sweep& sweep) {
    return sweep.is_per_element() ? tr("kernel an element") : "kernel";
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
    if (low > 0 && high / low > min_log_axis_ratio) axis.scale = AxisScale::logarithmic;
    return axis;
}

void add_point(const Sweep& sweep, const SweepCell& cell, double x, Series& series) {
    const Summary cost = sweep.cost(cell);
    series.x.push_back(x);
    series.y.push_back(cost.median);
    series.y_low.push_back(cost.low);
    series.y_high.push_back(cost.high);
    series.notes.push_back(tr("{}, {}{} · click to put it on the bench", verdict_word(*cell.report),
                              counted(cell.kernel.count, "sample", "samples"),
                              cell.report->timings.kernel.is_noisy ? tr(", noisy") : ""));
}

/// Returns the subtitle that makes an exported picture understandable on its own.
std::string figure_note(const Sweep& sweep, const std::string& variant, bool crosses) {
    std::string note = sweep.spec().lesson->title;
    if (!variant.empty()) note += ", " + variant;
    const SweepProgress progress = sweep.sweep_progress();
    if (!sweep.is_finished())
        note += tr(" · {} of {} cells measured", format_count(progress.done), format_count(progress.cells));
    if (crosses) note += tr(" · ✗ on the axis: refused or failed");
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
    std::string label = sweep.is_finished() ? "best" : tr("best so far");
    if (sweep.spec().variants.size() > 1) label += ": " + sweep.spec().variants[cell.variant];
    if (!best->ties.empty()) label += tr(", a tie with {} more", best->ties.size());
    figure.markers.push_back({lines.x[cell.axis_index[0]], label});
}

void mark_missing_times(const Sweep& sweep, SweepLines& lines) {
    std::set<double> positions;  // a set, so that several variants share one cross
    for (const SweepCell& cell : sweep.cells())
        if (cell.state == CellState::refused || cell.state == CellState::failed)
            positions.insert(lines.x[cell.axis_index[0]]);
    lines.crosses.assign(positions.begin(), positions.end());
}

std::string cell_status(const SweepCell& cell) {
    if (cell.state == CellState::pending) return "pending";
    if (cell.state == CellState::running) return "running";
    return std::string(name(cell.report->status));
}

/// NaN if the samples are too few for 95 % confidence.
double half_interval(const Summary& interval) {
    constexpr double min_confidence = 0.95;
    if (interval.confidence < min_confidence) return std::numeric_limits<double>::quiet_NaN();
    return (interval.high - interval.low) / 2;
}

enum MapKind : std::uint8_t { refused, wrong, running, pending, right };

MapKind map_kind(const SweepCell& cell) {
    switch (cell.state) {
        case CellState::pending:
            return pending;
        case CellState::running:
            return running;
        case CellState::refused:
            return refused;
        case CellState::failed:
            return wrong;
        case CellState::done:
            break;
    }
    return cell.is_correct() ? right : wrong;
}

struct MapRow {
    std::size_t across = 0, up = 0;  ///< indices of the axes' values
    double median = 0, half = 0;     ///< in ns; NaN: none
    std::string status;
};

/// `heading` is the CSV header with all columns. Called on export only, not in each frame.
std::string map_csv(const std::string& heading, const std::vector<std::string>& across,
                    const std::vector<std::string>& up, const std::string& variant,
                    const std::vector<MapRow>& rows) {
    const auto number = [](double value) {
        return std::isfinite(value) ? fmt::format("{}", value) : std::string();
    };
    std::string csv = heading;
    for (const MapRow& row : rows)
        csv += format_csv_record(
            {across[row.across], up[row.up], variant, number(row.median), number(row.half), row.status});
    return csv;
}

std::vector<std::string> value_texts(const Parameter& parameter, const std::vector<Value>& values) {
    std::vector<std::string> texts;
    for (const Value& value : values)
        texts.push_back(format(parameter, value));
    return texts;
}

/// Returns the kinds of map cells. Kinds that do not occur have an empty label, so the legend omits them.
std::vector<Cells::Kind> map_kinds(const std::set<MapKind>& used_kinds) {
    std::vector<Cells::Kind> kinds = {{"refused", ColorRole::quiet, Cells::Fill::hatched},
                                      {tr("✗ failed or wrong"), ColorRole::wrong, Cells::Fill::hatched},
                                      {"", ColorRole::upload, Cells::Fill::outlined},
                                      {tr("not measured yet"), ColorRole::quiet, Cells::Fill::empty}};
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        if (!used_kinds.contains(static_cast<MapKind>(kind))) kinds[kind].label.clear();
    return kinds;
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
    std::vector<std::size_t> sorted_indices(axis.values.size());
    std::iota(sorted_indices.begin(), sorted_indices.end(), std::size_t{0});
    std::sort(sorted_indices.begin(), sorted_indices.end(),
              [&](std::size_t a, std::size_t b) { return lines.x[a] < lines.x[b]; });

    Series wrong;
    std::vector<std::pair<double, std::size_t>> wrong_cells;
    for (std::size_t variant = 0; variant < sweep.spec().variants.size(); ++variant) {
        Series series;
        series.label = sweep.spec().variants[variant];
        series.mark = mark;
        std::vector<std::size_t> cells;
        for (const std::size_t row : sorted_indices) {
            const std::size_t index = sweep.index(variant, row, 0);
            const SweepCell& cell = sweep.cells()[index];
            if (cell.state != CellState::done) continue;
            if (!cell.is_correct()) {
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
        wrong.label = tr("wrong answer");
        wrong.mark = Mark::scatter;
        wrong.color_role = ColorRole::wrong;
        lines.cells.emplace_back();
        for (const auto& [x, index] : wrong_cells) {
            if (sweep.cells()[index].report->status == Status::unjudged)
                wrong.label = tr("wrong or not judged");
            add_point(sweep, sweep.cells()[index], x, wrong);
            lines.cells.back().push_back(index);
        }
        figure.series.push_back(std::move(wrong));
    }
    mark_best(sweep, lines, figure);
    mark_missing_times(sweep, lines);
    const std::string only = sweep.spec().variants.size() == 1 ? sweep.spec().variants.front() : "";
    lines.plot = {"sweep", sweep_title(sweep), Origin::measured, std::move(figure),
                  figure_note(sweep, only, !lines.crosses.empty())};
    return lines;
}

SweepMap sweep_map(const Sweep& sweep, std::size_t variant) {
    SweepMap map;
    const SweepSpec& spec = sweep.spec();
    const std::string& name = spec.variants[variant];
    const bool several = spec.variants.size() > 1;
    const Parameter &x = sweep.parameter(0), &y = sweep.parameter(1);
    const std::vector<Value>&across = spec.axes[0].values, &up = spec.axes[1].values;
    Cells cells{.shades = Cells::Shades::viridis,
                .shade = {cost_label(sweep), "ns", AxisScale::logarithmic},
                .x = {.label = axis_title({x.label}, {.name = unit_beside_label(x)})},
                .y = {.label = axis_title({y.label}, {.name = unit_beside_label(y)})}};
    for (const Value& value : across)
        cells.x.categories.push_back(value_label(x, value));

    const std::string cost = csv_heading(cost_label(sweep), "ns");
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const std::optional<BestCell> best = sweep.best();
    std::vector<double> costs(across.size() * up.size(), none);
    map.cells.resize(costs.size());
    cells.rows.resize(up.size());
    const std::set<std::size_t> ties =
        best ? std::set(best->ties.begin(), best->ties.end()) : std::set<std::size_t>();
    double low = 0, high = 0;
    std::set<MapKind> used_kinds;
    std::vector<MapRow> rows;
    for (std::size_t row_from_bottom = 0; row_from_bottom < up.size(); ++row_from_bottom) {
        const std::size_t row = up.size() - 1 - row_from_bottom;  // from the top
        cells.rows[row].label = value_label(y, up[row_from_bottom]);
        for (std::size_t column = 0; column < across.size(); ++column) {
            const std::size_t index = sweep.index(variant, column, row_from_bottom);
            const SweepCell& cell = sweep.cells()[index];
            const bool measured = cell.state == CellState::done;
            const Summary time =
                measured ? sweep.cost(cell) : Summary{.median = none, .low = none, .high = none};
            rows.push_back({column, row_from_bottom, time.median, half_interval(time), cell_status(cell)});
            costs[row * across.size() + column] = time.median;
            map.cells[row * across.size() + column] = index;
            const MapKind kind = map_kind(cell);
            used_kinds.insert(kind);
            cells.rows[row].kinds.push_back(kind);
            if (kind == right && time.median > 0) {
                low = low > 0 ? std::min(low, time.median) : time.median;
                high = std::max(high, time.median);
            }
            const bool is_best = best && best->cell == index;
            if (is_best || ties.contains(index)) map.rings.push_back({row, column, is_best});
        }
    }
    cells.kinds = map_kinds(used_kinds);
    const char* scale =
        several ? tr("The colour scale is logarithmic, from this variant's fastest cell to its slowest.")
                : tr("The colour scale is logarithmic, from the fastest cell to the slowest.");
    cells.numbers = {{scale, across.size(), std::make_shared<Array>(Array::of<double>(costs)), low, high}};
    map.plot = {several ? "sweep_" + name : "sweep",
                sweep_title(sweep),
                Origin::measured,
                std::move(cells),
                figure_note(sweep, name, false),
                [heading = format_csv_record({csv_heading(x.label, unit_beside_label(x)),
                                              csv_heading(y.label, unit_beside_label(y)), "variant", cost,
                                              tr("{} half 95 % interval", cost), "status"}),
                 x_texts = value_texts(x, across), y_texts = value_texts(y, up), name,
                 rows = std::move(rows)] { return map_csv(heading, x_texts, y_texts, name, rows); }};
    return map;
}

}  // namespace gridstride

// Draws the results that decided a question, side by side.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "lesson/metrics.h"
#include "lesson/nouns.h"
#include "lesson/trace_metrics.h"
#include "present/figures.h"
#include "present/run_times.h"

namespace gridstride {

namespace {

/// Returns a metric's axis: "kernel_ns" becomes "kernel" in ns, "races(30, 34)" "races, lines 30 and 34".
Axis axis_for_metric(const std::string& metric) {
    if (const RunTime* const time = find_run_time(metric)) return {.label = tr(time->name), .unit = "ns"};
    if (metric == "bytes_per_second") return {.label = tr("bandwidth"), .unit = "B/s"};
    Axis axis{.label = metric.substr(0, metric.find('('))};
    if (axis.label.starts_with("bytes_") || axis.label.ends_with("_bytes")) axis.unit = "B";
    std::vector<std::string> lines;
    std::ranges::transform(parse_metric_lines(metric), std::back_inserter(lines), trace::source_line_text);
    if (!lines.empty())
        axis.label += (lines.size() > 1 ? tr(", lines ") : tr(", line ")) + join(lines, tr(" and "));
    if (metric.ends_with("_ns")) {
        axis.label.resize(metric.size() - 3);
        axis.unit = "ns";
    }
    std::ranges::replace(axis.label, '_', ' ');
    return axis;
}

ColorRole color_for_metric(const std::string& metric) {
    const RunTime* const time = find_run_time(metric);
    return time ? time->color_role : ColorRole::series;
}

bool add_bar(Series& series, const Report& run, const std::string& metric) {
    const auto found = estimate(run, metric);
    if (!found) return false;
    // A time that is computed as a difference may be negative by measurement error.
    const auto plotted_value = [&](double value) {
        return metric.ends_with("_ns") ? std::max(0.0, value) : value;
    };
    series.y.push_back(plotted_value(found->value));
    series.y_low.push_back(plotted_value(found->low));
    // A lower bound has no upper end; the bound itself is drawn.
    series.y_high.push_back(plotted_value(std::isfinite(found->high) ? found->high : found->value));
    return true;
}

/// Exact values have no interval, so no error bars are drawn for them.
void drop_empty_intervals(Series& series) {
    if (series.y_low == series.y && series.y_high == series.y) series.y_low = series.y_high = {};
}

Plot make_comparison_plot(Figure figure, bool is_traced) {
    const bool intervals =
        std::ranges::any_of(figure.series, [](const Series& s) { return !s.y_low.empty(); });
    figure.value_labels = true;
    figure.is_horizontal = true;
    return {.id = "comparison",
            .title = tr("Side by side"),
            .origin = is_traced ? Origin::traced : Origin::measured,
            .content = std::move(figure),
            .note = is_traced ? tr("Traced in separate runs that are not timed.")
                    : intervals
                        ? tr("Medians of the runs that decided the question, with their 95 % intervals.")
                        : tr("The runs that decided the question.")};
}

/// Returns nullopt unless all items are single numbers of one unit.
std::optional<Plot> plot_items(const PredictBlock& question, std::span<const Report* const> runs) {
    Figure figure;
    Series series{.mark = Mark::bars};
    for (const PredictItem& item : question.items) {
        const RunMetric& metric = item.value.value;
        const Axis axis = axis_for_metric(metric.metric);
        if (item.value.divided_by || metric.run == 0 || metric.run > runs.size()) return std::nullopt;
        if (!figure.x.categories.empty() && axis.unit != figure.y.unit) return std::nullopt;
        if (!add_bar(series, *runs[metric.run - 1], metric.metric)) return std::nullopt;
        series.color_roles.push_back(color_for_metric(metric.metric));
        if (figure.x.categories.empty()) figure.y = axis;
        if (axis.label != figure.y.label) figure.y.label = axis.unit == "ns" ? tr("time") : "";
        figure.x.categories.push_back(item.label);
    }
    drop_empty_intervals(series);
    figure.series = {std::move(series)};
    const bool is_traced = std::ranges::any_of(
        question.items, [](const PredictItem& item) { return is_trace_metric(item.value.value.metric); });
    return make_comparison_plot(std::move(figure), is_traced);
}

}  // namespace

std::vector<std::string> run_names(std::span<const Report* const> runs) {
    std::vector<std::vector<std::string>> parts(runs.size());
    const auto add_if_different = [&](auto describe_run) {
        std::vector<std::string> texts;
        for (const Report* run : runs)
            texts.push_back(describe_run(*run));
        if (std::ranges::adjacent_find(texts, std::ranges::not_equal_to()) == texts.end()) return;
        for (std::size_t i = 0; i < runs.size(); ++i)
            parts[i].push_back(texts[i]);
    };
    add_if_different([](const Report& run) { return run.experiment.variant; });
    const Lesson* lesson = runs.empty() ? nullptr : find_lesson(runs.front()->experiment);
    for (const Parameter& parameter : lesson ? lesson->parameters : std::vector<Parameter>())
        add_if_different([&](const Report& run) {
            if (!run.experiment.values.contains(parameter.id)) return std::string();
            const Value& value = run.experiment.values.at(parameter.id);
            const auto* count = std::get_if<std::uint64_t>(&value);
            const bool is_auto = count && *count == 0 && parameter.is_automatic;
            const std::string value_text =
                count && !is_auto ? format_count(*count) : format(parameter, value);
            const std::string label = to_lower(parameter.label), unit = unit_beside_label(parameter);
            if (lesson->is_domain_parameter(parameter.id)) return with_unit(value_text, label);
            return label + ' ' + (is_auto || unit.empty() ? value_text : with_unit(value_text, unit));
        });
    std::vector<std::string> names;
    for (std::size_t i = 0; i < runs.size(); ++i)
        names.push_back(parts[i].empty() ? tr("run {}", i + 1) : join(parts[i], ", "));
    return names;
}

std::optional<Plot> comparison_plot(const PredictBlock& question, std::span<const Report* const> runs) {
    if (runs.empty() || std::ranges::find(runs, nullptr) != runs.end()) return std::nullopt;
    if (!question.items.empty()) return plot_items(question, runs);
    if (runs.size() < 2 || !question.marks.empty()) return std::nullopt;
    std::vector<std::string> metrics = {question.value.value.metric};
    const Axis axis = axis_for_metric(metrics.front());
    if (question.value.divided_by && question.value.divided_by->metric != metrics.front() &&
        axis_for_metric(question.value.divided_by->metric).unit == axis.unit)
        metrics.push_back(question.value.divided_by->metric);
    Figure figure{.x = {.categories = run_names(runs)}, .y = axis};
    if (metrics.size() > 1) figure.y.label = axis.unit == "ns" ? tr("time") : "";
    for (const std::string& metric : metrics) {
        Series series{.label = axis_for_metric(metric).label,
                      .mark = Mark::bars,
                      .color_role = color_for_metric(metric)};
        for (const Report* run : runs)
            if (!add_bar(series, *run, metric)) return std::nullopt;
        drop_empty_intervals(series);
        figure.series.push_back(std::move(series));
    }
    return make_comparison_plot(std::move(figure), is_trace_metric(metrics.front()));
}

}  // namespace gridstride

#include "sweep/sweep_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "present/report_json.h"
#include "present/run_remarks.h"

namespace gridstride {

namespace {

Json axes_json(const Sweep& sweep) {
    Json axes = Json::array();
    for (std::size_t axis = 0; axis < sweep.spec().axes.size(); ++axis) {
        const Parameter& parameter = sweep.parameter(axis);
        Json values = Json::array();
        for (const Value& value : sweep.spec().axes[axis].values)
            values.push_back(value_json(parameter, value));
        axes.push_back({{"parameter", parameter.id}, {"unit", parameter.unit}, {"values", values}});
    }
    return axes;
}

Json parameters_json(const Sweep& sweep) {
    Json parameters = Json::object();
    for (const Parameter& parameter : sweep.spec().lesson->parameters) {
        const std::vector<SweepAxis>& axes = sweep.spec().axes;
        if (std::none_of(axes.begin(), axes.end(),
                         [&](const SweepAxis& axis) { return axis.parameter == parameter.id; }))
            parameters[parameter.id] = value_json(parameter, sweep.spec().base.values.at(parameter.id));
    }
    return parameters;
}

std::string status_text(const SweepCell& cell) {
    const bool not_run = cell.state == CellState::pending || cell.state == CellState::running;
    return not_run ? "pending" : std::string(name(cell.report->status));
}

/// Returns the variant and the swept values, which identify the cell.
Json place_json(const Sweep& sweep, const SweepCell& cell) {
    Json values = Json::object();
    for (std::size_t axis = 0; axis < sweep.spec().axes.size(); ++axis) {
        const Parameter& parameter = sweep.parameter(axis);
        values[parameter.id] = value_json(parameter, cell.experiment.values.at(parameter.id));
    }
    return {{"variant", sweep.spec().variants[cell.variant]}, {"values", values}};
}

Json cell_json(const Sweep& sweep, const SweepCell& cell) {
    Json entry = place_json(sweep, cell);
    entry["status"] = status_text(cell);
    entry["message"] = join(cell.reasons, " ");
    entry["remarks"] = to_json(cell.report ? all_remarks(*cell.report) : std::vector<Remark>());
    entry["kernel_ns"] = nullptr;
    if (cell.state != CellState::done) return entry;
    entry["kernel_ns"] = {{"median", cell.kernel.median},
                          {"median_error", cell.kernel.median_error},
                          {"p5", cell.kernel.p5},
                          {"p95", cell.kernel.p95},
                          {"samples", cell.kernel.count},
                          {"runs", cell.runs.size()},
                          {"noisy", cell.report->timings.kernel.is_noisy}};
    entry["workgroup_size"] = cell.report->launch.workgroup_size();
    entry["workgroup_count"] = cell.report->launch.workgroup_count();
    entry["bytes_moved"] = cell.report->bytes_moved;
    return entry;
}

Json best_json(const Sweep& sweep) {
    const std::optional<BestCell> best = sweep.best();
    if (!best) return nullptr;
    const SweepCell& cell = sweep.cells()[best->cell];
    Json entry = place_json(sweep, cell);
    const Summary cost = sweep.cost(cell);
    entry["objective"] = sweep.is_per_element() ? "kernel_ns_per_element" : "kernel_ns";
    entry["median"] = cost.median;
    entry["low"] = cost.low;
    entry["high"] = cost.high;
    entry["confidence"] = best->confidence;
    entry["ties"] = Json::array();
    for (const std::size_t tie : best->ties)
        entry["ties"].push_back(place_json(sweep, sweep.cells()[tie]));
    return entry;
}

Json advice_json(const Sweep& sweep) {
    Json list = Json::array();
    for (const Advice& advice : evaluate_advice(sweep))
        list.push_back({{"id", advice.id},
                        {"title", advice.title},
                        {"holds", advice.holds ? Json(*advice.holds) : Json(nullptr)},
                        {"sentence", advice.sentence}});
    return list;
}

}  // namespace

Json to_json(const Sweep& sweep) {
    std::vector<Remark> remarks;
    for (SweepRemark& one : collect_remarks(sweep))
        remarks.push_back(std::move(one.remark));
    Json cells = Json::array();
    for (const SweepCell& cell : sweep.cells())
        cells.push_back(cell_json(sweep, cell));
    const Limits& device = sweep.device();
    return {{"schema_version", schema_version},
            {"lesson", sweep.spec().lesson->id},
            {"device",
             {{"name", device.device_name}, {"driver", device.driver_version}, {"is_cpu", device.is_cpu}}},
            {"parameters", parameters_json(sweep)},
            {"axes", axes_json(sweep)},
            {"cells", cells},
            {"remarks", to_json(remarks)},
            {"drift", sweep.drift() ? Json(*sweep.drift()) : Json(nullptr)},
            {"best", best_json(sweep)},
            {"advice", advice_json(sweep)},
            {"complete", sweep.is_finished()}};
}

}  // namespace gridstride

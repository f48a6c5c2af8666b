#include "session/sweep_json.h"

#include <nlohmann/json.hpp>

#include "present/json_values.h"
#include "present/report_json.h"
#include "session/advice.h"

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
        bool swept = false;
        for (const SweepAxis& axis : sweep.spec().axes)
            swept = swept || axis.parameter == parameter.id;
        if (!swept)
            parameters[parameter.id] = value_json(parameter, sweep.spec().base.values.at(parameter.id));
    }
    return parameters;
}

std::string status_text(const SweepCell& cell) {
    const bool not_run = cell.state == CellState::pending || cell.state == CellState::running;
    return not_run ? "pending" : std::string(name(cell.report->status));
}

/// Variant and swept values: what tells a cell from the others.
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
    std::string message;
    for (const std::string& reason : cell.reasons)
        message += (message.empty() ? "" : " ") + reason;
    entry["message"] = message;
    entry["kernel_ns"] = nullptr;
    if (cell.state != CellState::done) return entry;
    entry["kernel_ns"] = {{"median", json_number(cell.summary.median)},
                          {"median_error", json_number(cell.summary.median_error)},
                          {"p5", json_number(cell.summary.p5)},
                          {"p95", json_number(cell.summary.p95)},
                          {"samples", cell.summary.count},
                          {"noisy", cell.report->timings.kernel.noisy}};
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
    const bool per_element = sweep.objective() == Objective::kernel_ns_per_element;
    const MedianInterval cost = sweep.cost(cell);
    entry["objective"] = per_element ? "kernel_ns_per_element" : "kernel_ns";
    entry["median"] = json_number(cost.median);
    entry["low"] = json_number(cost.low);
    entry["high"] = json_number(cost.high);
    entry["confidence"] = best->confidence;
    entry["ties"] = Json::array();
    for (const std::size_t tie : best->ties)
        entry["ties"].push_back(place_json(sweep, sweep.cells()[tie]));
    return entry;
}

Json advice_json(const Sweep& sweep) {
    Json list = Json::array();
    for (const Advice& advice : weigh_advice(sweep)) {
        Json entry = {{"id", advice.id}, {"title", advice.title}, {"holds", nullptr}};
        if (advice.holds) entry["holds"] = *advice.holds;
        entry["sentence"] = advice.sentence;
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace

Json to_json(const Sweep& sweep) {
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
            {"best", best_json(sweep)},
            {"advice", advice_json(sweep)},
            {"complete", sweep.finished()}};
}

}  // namespace gridstride

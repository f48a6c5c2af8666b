#include "present/report_json.h"

#include <nlohmann/json.hpp>

#include "present/run_remarks.h"

namespace gridstride {

namespace {

Json timing(const Timing& timing) {
    if (timing.samples.empty()) return nullptr;
    const Summary summary = timing.summary();
    return {{"median", summary.median},
            {"p5", summary.p5},
            {"p95", summary.p95},
            {"samples", timing.samples},
            {"noisy", timing.is_noisy}};
}

Json fact_json(const Fact& fact) {
    if (const auto* count = std::get_if<std::uint64_t>(&fact.value)) return *count;
    if (const auto* real = std::get_if<double>(&fact.value)) return *real;
    const auto& array = std::get<ArrayRef>(fact.value);
    Json list = Json::array();
    for (std::size_t i = 0; array && i < array->count(); ++i) {
        const double number = array->number(i);
        list.push_back(is_float(array->type()) ? Json(number) : Json(static_cast<std::int64_t>(number)));
    }
    return list;
}

Json input_json(const Report& report) {
    const UserData& input = report.experiment.input;
    if (input.name.empty()) return nullptr;
    return {{"name", input.name}, {"crc32", input.checksum}, {"taken", input.selection}};
}

Json mismatch_json(const std::optional<Mismatch>& mismatch) {
    if (!mismatch) return nullptr;
    return {{"output", mismatch->output},
            {"index", mismatch->index},
            {"gpu", mismatch->gpu},
            {"reference", mismatch->reference},
            {"allowed", mismatch->allowed ? Json(*mismatch->allowed) : Json(nullptr)},
            {"unwritten", mismatch->is_unwritten}};
}

Json output_json(const OutputVerdict& one) {
    const bool is_known = one.unwritten_source.empty();
    return {{"output", one.output},
            {"status", name(one.first_unwritten || !is_known ? Status::unwritten
                            : one.first_wrong                ? Status::mismatch
                                                             : Status::ok)},
            {"unwritten", one.unwritten},
            {"first_unwritten", mismatch_json(one.first_unwritten)},
            {"wrong", one.wrong},
            {"first_wrong", is_known ? mismatch_json(one.first_wrong) : Json(nullptr)},
            {"all_compared", one.all_compared},
            {"made_from_unwritten", is_known ? Json(nullptr) : Json(one.unwritten_source)}};
}

Json compare_json(const Comparison& compare) {
    Json outputs = Json::array();
    for (const OutputVerdict& one : compare.outputs)
        outputs.push_back(output_json(one));
    return {{"max_abs_error", compare.max_abs_error},
            {"allowed_abs_error", compare.allowed_abs_error},
            {"max_rel_error", compare.max_rel_error},
            {"allowed_rel_error", compare.allowed_rel_error},
            {"first_mismatch", mismatch_json(compare.first_mismatch)},
            {"outputs", outputs},
            {"judged_runs", compare.judged_runs},
            {"wrong_runs", compare.wrong_runs},
            {"unjudged", compare.outputs_without_reference}};
}

Json diagnostics_json(const std::vector<Diagnostic>& diagnostics) {
    Json list = Json::array();
    for (const Diagnostic& d : diagnostics)
        list.push_back({{"level", d.level == DiagnosticLevel::error ? "error" : "warning"},
                        {"file", d.file},
                        {"line", d.line},
                        {"text", d.text}});
    return list;
}

}  // namespace

Json value_json(const Parameter& parameter, const Value& value) {
    if (const auto* count = std::get_if<std::uint64_t>(&value))
        if (!(parameter.is_automatic && *count == 0)) return *count;
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return format(parameter, value);
}

Json to_json(const std::vector<Remark>& remarks) {
    Json list = Json::array();
    for (const Remark& one : remarks)
        list.push_back({{"severity", name(one.severity)},
                        {"parameter", one.parameter.empty() ? Json(nullptr) : Json(one.parameter)},
                        {"text", one.text}});
    return list;
}

Json to_json(const Report& report) {
    Json parameters = Json::object();
    if (const Lesson* lesson = find_lesson(report.experiment))
        for (const Parameter& parameter : lesson->parameters)
            if (report.experiment.values.contains(parameter.id))
                parameters[parameter.id] = value_json(parameter, report.experiment.values.at(parameter.id));
    Json result = Json::object();
    Json uncertainty = Json::object();
    for (const Fact& fact : report.result) {
        result[fact.id] = fact_json(fact);
        if (fact.uncertainty > 0) uncertainty[fact.id] = fact.uncertainty;
    }

    const Timings& timings = report.timings;
    const bool measured = !timings.kernel.samples.empty();
    const auto fraction = report.fraction_of_copy_ceiling();
    return {{"schema_version", schema_version},
            {"run_id", report.run_id},
            {"timestamp_utc", report.started_utc},
            {"lesson", report.experiment.lesson},
            {"variant", report.experiment.variant},
            {"parameters", parameters},
            {"input", input_json(report)},
            {"device",
             {{"name", report.device.device_name},
              {"driver", report.device.driver_version},
              {"is_cpu", report.device.is_cpu}}},
            {"status", name(report.status)},
            {"message", report.message},
            {"kernel", report.kernel_name().empty() ? Json(nullptr) : Json(report.kernel_name())},
            {"diagnostics", diagnostics_json(report.diagnostics)},
            {"notes", report.notes},
            {"remarks", to_json(all_remarks(report))},
            {"result", result},
            {"result_uncertainty", uncertainty},
            {"compare", compare_json(report.compare)},
            {"timings",
             {{"upload_ns", timing(timings.upload)},
              {"kernel_ns", timing(timings.kernel)},
              {"download_ns", timing(timings.download)},
              {"wall_ns", timing(timings.wall)},
              {"compile_ns", timings.compile_ns},
              {"allocate_ns", timings.allocate_ns},
              {"cpu_ns", timing(timings.cpu)},
              {"pass_kernel_ns", timing(timings.kernel_in_wall)},
              {"host_ns", timing(timings.host)},
              {"waiting_ns", timing(timings.waiting)},
              {"kernel_repeats", timings.kernel_repeats},
              {"unbatched", timings.is_unbatched},
              {"provisional", timings.is_provisional},
              {"host_clock", timings.host_clock}}},
            {"launch",
             {{"workgroup", text_of(report.launch.workgroup)},
              {"grid", text_of(report.launch.grid)},
              {"workgroup_size", report.launch.workgroup_size()},
              {"workgroup_count", report.launch.workgroup_count()},
              {"dispatches", report.launch.dispatches},
              {"invocations", report.launch.invocations()},
              {"slices", report.launch.slices},
              {"registers", report.launch.registers}}},
            {"bytes_moved", report.bytes_moved},
            {"bytes_per_second", measured ? Json(report.bytes_per_second()) : Json(nullptr)},
            {"fraction_of_copy_ceiling", fraction ? Json(*fraction) : Json(nullptr)},
            {"operations", report.operations},
            {"operations_per_second",
             measured && report.operations > 0 ? Json(report.operations_per_second()) : Json(nullptr)},
            {"uploaded_bytes", report.uploaded_bytes},
            {"downloaded_bytes", report.downloaded_bytes},
            {"cache", report.cache.is_cold ? "cold" : "warm"},
            {"working_set_bytes", report.cache.working_set_bytes},
            {"cache_bytes", report.cache.cache_bytes},
            {"cache_copies", report.cache.copies},
            {"from_cache", report.cache.from_cache()},
            {"ceilings", report.ceilings ? to_json(*report.ceilings) : Json(nullptr)}};
}

Json to_json(const Lesson& lesson) {
    Json variants = Json::array();
    for (const Variant& variant : lesson.variants)
        variants.push_back({{"id", variant.id}, {"title", variant.title}, {"summary", variant.summary}});
    Json parameters = Json::array();
    for (const Parameter& parameter : lesson.parameters) {
        Json entry = {
            {"id", parameter.id},       {"flag", "--" + kebab_case(parameter.id)},
            {"label", parameter.label}, {"unit", parameter.unit},
            {"help", parameter.help},   {"default", value_json(parameter, parameter.default_value)}};
        if (parameter.choices.empty()) {
            entry["type"] = std::holds_alternative<double>(parameter.default_value) ? "real" : "count";
            entry["minimum"] = parameter.minimum;
            entry["maximum"] = parameter.maximum;
            entry["automatic"] = parameter.is_automatic;
        } else {
            entry["type"] = parameter.is_choice() ? "choice" : "sequence";
            if (!parameter.is_choice()) entry["maximum"] = parameter.maximum;
            Json choices = Json::array();
            for (const Parameter::Choice& choice : parameter.choices)
                choices.push_back(choice.id);
            entry["choices"] = choices;
        }
        parameters.push_back(entry);
    }
    return {{"id", lesson.id},
            {"title", lesson.title},
            {"default_variant", lesson.default_variant},
            {"variants", variants},
            {"parameters", parameters}};
}

Json to_json(const Ceilings& c) {
    Json json;
    for (const CeilingMember& member : ceiling_members)
        json[member.id] = c.*member.value;
    Json latencies = Json::array();
    for (const LoadLatency& latency : c.latencies)
        latencies.push_back({{"footprint_bytes", latency.footprint_bytes}, {"ns", latency.ns}});
    json["latencies"] = latencies;
    json["measured_utc"] = c.measured_utc;
    return json;
}

Json to_json(const Limits& limits) {
    return {{"name", limits.device_name},
            {"driver", limits.driver_version},
            {"is_cpu", limits.is_cpu},
            {"max_workgroup_size", limits.max_workgroup_size},
            {"max_bindings", limits.max_bindings},
            {"max_workgroup_count", limits.max_grid.x},
            {"max_workgroup", text_of(limits.max_workgroup)},
            {"max_grid", text_of(limits.max_grid)},
            {"max_shared_bytes", limits.max_shared_bytes},
            {"max_binding_bytes", limits.max_binding_bytes},
            {"binding_alignment", limits.binding_alignment},
            {"memory_bytes", limits.memory_bytes},
            {"subgroup_size", limits.subgroup_size},
            {"subgroup_vote", limits.subgroup_vote},
            {"subgroup_arithmetic", limits.subgroup_arithmetic},
            {"subgroup_ballot", limits.subgroup_ballot},
            {"subgroup_shuffle", limits.subgroup_shuffle},
            {"subgroup_shuffle_relative", limits.subgroup_shuffle_relative},
            {"subgroup_clustered", limits.subgroup_clustered},
            {"subgroup_quad", limits.subgroup_quad},
            {"float64", limits.float64},
            {"storage16", limits.storage16},
            {"float16", limits.float16},
            {"float32_atomic_add", limits.float32_atomic_add},
            {"integer_dot", limits.integer_dot},
            {"integer_dot_accelerated", limits.integer_dot_accelerated},
            {"cooperative_matrix", limits.cooperative_matrix},
            {"byte_matrices", limits.byte_matrices},
            {"multiprocessors", limits.multiprocessors},
            {"subgroups_per_multiprocessor", limits.subgroups_per_multiprocessor},
            {"registers_per_multiprocessor", limits.registers_per_multiprocessor},
            {"workgroups_per_multiprocessor", limits.workgroups_per_multiprocessor},
            {"shared_banks", limits.shared_banks},
            {"cache_bytes", limits.cache_bytes},
            {"cache_is_assumed", limits.is_cache_assumed},
            {"loop_iterations", limits.loop_iterations},
            {"timestamp_period_ns", limits.timestamp_period_ns},
            {"timestamp_valid_bits", limits.timestamp_valid_bits}};
}

}  // namespace gridstride

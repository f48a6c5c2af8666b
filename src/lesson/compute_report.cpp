#include "lesson/compute_report.h"

#include <algorithm>

namespace gridstride {

namespace {

ArrayRef convert_to_output_type(const ArrayRef& reference, const Plan& plan, std::string_view name) {
    const auto buffer = std::ranges::find(plan.buffers, name, &BufferSpec::name);
    const bool narrower = buffer != plan.buffers.end() && is_float(buffer->type) &&
                          buffer->type != ElementType::f64 && reference->type() == ElementType::f64;
    if (!narrower) return reference;
    Array rounded(buffer->type, reference->count());
    const auto round_to = [&]<class T>(std::span<T> out) {
        std::ranges::transform(reference->as<double>(), out.begin(),
                               [](double number) { return static_cast<T>(number); });
    };
    buffer->type == ElementType::f16 ? round_to(rounded.as<Half>()) : round_to(rounded.as<float>());
    return share(std::move(rounded));
}

}  // namespace

Report compute_report(const PreparedExperiment& prepared) {
    Report report;
    report.computed = true;
    report.status = Status::ok;
    report.experiment = prepared.experiment;
    report.device = prepared.limits;
    report.bytes_moved = prepared.plan.min_bytes;
    report.uploaded_bytes = uploaded_bytes(prepared.plan);
    report.downloaded_bytes = downloaded_bytes(prepared.plan);
    report.operations = prepared.plan.operations;
    report.launch.workgroup = prepared.plan.main().workgroup;
    report.launch.grid = prepared.plan.main().grid;
    report.input = prepared.make_input();
    for (const Expected& expected : prepared.task.reference(report.input, prepared)) {
        if (!expected.is_whole()) continue;
        report.outputs.push_back(
            {expected.output, convert_to_output_type(expected.reference, prepared.plan, expected.output)});
    }
    if (!report.outputs.empty()) report.result = prepared.task.result(prepared, report.outputs);
    return report;
}

std::optional<Report> compute_report_for_pictures(const PreparedExperiment& prepared) {
    if (!prepared.is_valid() || prepared.elements() > max_computed_elements) return std::nullopt;
    Report report = compute_report(prepared);
    if (is_wrong_on_purpose(*prepared.lesson, prepared.experiment)) {
        report.outputs.clear();
        report.result.clear();
    }
    return report;
}

}  // namespace gridstride

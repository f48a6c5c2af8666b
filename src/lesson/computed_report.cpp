#include "lesson/computed_report.h"

#include <algorithm>

namespace gridstride {

namespace {

/// A reference may be f64 where the device gives f32.
ArrayRef as_output(const ArrayRef& reference, const Plan& plan, std::string_view name) {
    const auto buffer = std::ranges::find(plan.buffers, name, &BufferSpec::name);
    const bool narrower = buffer != plan.buffers.end() && buffer->type == ElementType::f32 &&
                          reference->type() == ElementType::f64;
    if (!narrower) return reference;
    Array rounded(ElementType::f32, reference->count());
    std::ranges::transform(reference->as<double>(), rounded.as<float>().begin(),
                           [](double number) { return static_cast<float>(number); });
    return share(std::move(rounded));
}

}  // namespace

Report computed_report(const Prepared& asked) {
    Report report;
    report.computed = true;
    report.status = Status::ok;
    report.experiment = asked.experiment;
    report.device = asked.limits;
    report.bytes_moved = asked.plan.min_bytes;
    report.uploaded_bytes = uploaded_bytes(asked.plan);
    report.downloaded_bytes = downloaded_bytes(asked.plan);
    report.operations = asked.plan.operations;
    report.launch.workgroup = asked.plan.main().workgroup;
    report.launch.grid = asked.plan.main().grid;
    report.input = asked.make_input();
    for (const Expected& expected : asked.task.reference(report.input, asked)) {
        if (expected.by_rows || !expected.reference) continue;
        report.outputs.push_back(
            {expected.output, as_output(expected.reference, asked.plan, expected.output)});
    }
    if (!report.outputs.empty()) report.result = asked.task.result(asked, report.outputs);
    return report;
}

}  // namespace gridstride

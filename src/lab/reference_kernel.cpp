#include "lab/reference_kernel.h"

#include <fmt/format.h>

#include <stdexcept>

#include "lab/judge.h"

namespace gridstride::lab {

namespace {

/// Returns the experiment that runs the kernel. Values that the reference does not depend on have their
/// defaults, since those of the bench may exceed the software device's limits.
Experiment make_reference_experiment(const PreparedExperiment& prepared, const std::string& variant) {
    const Lesson& lesson = *prepared.lesson;
    Experiment experiment = default_experiment(lesson);
    experiment.variant = variant;
    experiment.input = prepared.experiment.input;
    const auto bench = lesson.values_affecting(Invalidates::reference, prepared.values());
    for (const auto& [id, value] : bench.entries())
        experiment.values.set(id, value);
    if (!lesson.reference_depends_on_launch) return experiment;
    // The value of "auto" depends on the device.
    const Dispatch& launch = prepared.plan.main();
    if (experiment.values.contains(key::workgroup_size.id)) {
        experiment.values.set(key::workgroup_size.id, launch.workgroup_size());
        experiment.values.set(key::workgroup_count.id, launch.workgroup_count());
    } else {
        experiment.values.set(key::workgroup.id, launch.workgroup);
        experiment.values.set(key::grid.id, launch.grid);
    }
    return experiment;
}

Expected run_kernel(const Expected& expected, const PreparedExperiment& prepared,
                    const RunReference& run_reference, const Control& control) {
    if (!run_reference) throw std::runtime_error("This process runs no reference kernels.");
    const std::chrono::duration<double> time_left = control.remaining();
    const Report report =
        run_reference({.experiment = make_reference_experiment(prepared, expected.kernel->variant),
                       .sampling = {.measure = false},
                       .deadline_seconds = time_left.count() / 2},
                      control);
    if (report.status != Status::ok) throw std::runtime_error(report.message);
    const ArrayRef numbers = find_ref(report.outputs, expected.output);
    if (!numbers) throw std::runtime_error(fmt::format("It does not have the output {}.", expected.output));
    if (const auto index = find_unwritten(*numbers))
        throw std::runtime_error(
            fmt::format("It never writes {}[{}]. Write each element from 0 to launch.count - 1.",
                        expected.output, *index));
    return expected.kernel->expect(numbers);
}

}  // namespace

Expected compute_reference(const Expected& expected, const PreparedExperiment& prepared,
                           const RunReference& run_reference, const Control& control) {
    try {
        return run_kernel(expected, prepared, run_reference, control);
    } catch (const RunAborted&) {
        throw;
    } catch (const std::runtime_error& error) {
        return {.output = expected.output,
                .failure = fmt::format(
                    "{} is not judged, because its reference kernel {} gave no result: {}", expected.output,
                    find_reference(*prepared.lesson, expected.kernel->variant)->title, error.what())};
    }
}

}  // namespace gridstride::lab

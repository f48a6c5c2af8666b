// Shared by the tests of every lesson: devices and launches to try plans on, and functions that look into
// plans, references and results.
#pragma once

#include "figures/figures.h"
#include "launch/slices.h"
#include "lesson/building_blocks.h"
#include "lesson/lesson.h"
#include "lesson/metrics.h"
#include "test_includes.h"

namespace gridstride::test {

/// The limits of Mesa's llvmpipe that lessons read. Every machine can have this device.
inline Limits software_device() {
    Limits limits;
    limits.subgroup_size = 8;
    limits.subgroup_arithmetic = true;
    limits.subgroup_ballot = true;
    limits.float64 = true;
    limits.storage16 = true;
    limits.float32_atomic_add = true;
    limits.loop_iterations = 65535;
    return limits;
}

/// The limits of an NVIDIA H200.
inline Limits large_gpu() {
    Limits limits;
    limits.is_cpu = false;
    limits.max_grid.x = (std::uint64_t{1} << 31) - 1;
    limits.max_shared_bytes = 49152;
    limits.max_binding_bytes = (std::uint64_t{1} << 32) - 1;
    limits.memory_bytes = std::uint64_t{140} << 30;
    limits.subgroup_arithmetic = true;
    limits.subgroup_ballot = true;
    limits.float64 = true;
    limits.storage16 = true;
    limits.float32_atomic_add = true;
    limits.multiprocessors = 132;
    limits.subgroups_per_multiprocessor = 64;
    return limits;
}

/// The launch parameters that all lessons have.
struct Launch {
    std::uint64_t elements = 1;
    std::uint64_t size = 1;  ///< invocations of a workgroup
    std::uint64_t grid = 0;  ///< workgroups; 0: the lesson chooses
};

/// Settings as a user types them.
using Settings = std::vector<std::pair<std::string_view, std::string>>;
/// Returns these settings, and the lesson's defaults for all other parameters.
inline Values values_with(const Lesson& lesson, const Settings& settings) {
    Values values(lesson.parameters);
    for (const auto& [name, text] : settings)
        values.set(name, parse(*find(lesson.parameters, name), text));
    return values;
}
/// Returns the values of the launch, and the lesson's defaults for all other parameters.
inline Values values_with(const Lesson& lesson, const Launch& launch) {
    Values values(lesson.parameters);
    values.set("elements", launch.elements);
    values.set("workgroup_size", launch.size);
    values.set("workgroup_count", launch.grid);
    return values;
}

/// Launches to try: every count of elements with every size and every grid.
struct Launches {
    std::vector<std::uint64_t> elements;
    std::vector<std::uint64_t> sizes;
    std::vector<std::uint64_t> grids;
};

/// Calls check(variant's id, limits, launch) for each variant of the lesson, device and launch. Failures in
/// check name all three.
template <class Check>
void for_each_launch(const Lesson& lesson, const std::vector<Limits>& devices, const Launches& all,
                     Check check) {
    for (const Limits& limits : devices)
        for (const Variant& variant : lesson.variants)
            for (const std::uint64_t elements : all.elements)
                for (const std::uint64_t size : all.sizes)
                    for (const std::uint64_t grid : all.grids) {
                        SCOPED_TRACE(fmt::format("{} of {} elements, {} x {}, on a {}", variant.id, elements,
                                                 grid, size, limits.is_cpu ? "software device" : "GPU"));
                        check(variant.id, limits, Launch{elements, size, grid});
                    }
}

inline std::vector<const Dispatch*> dispatches(const Plan& plan) {
    std::vector<const Dispatch*> found;
    for (const Step& step : plan.steps)
        if (const auto* dispatch = std::get_if<Dispatch>(&step)) found.push_back(dispatch);
    return found;
}

/// Returns the maximum number of loop iterations of an invocation of a dispatch, as the plan declares it.
inline std::uint64_t promised_iterations(const Dispatch& dispatch) {
    return dispatch.passes() * dispatch.iterations_per_pass + dispatch.iterations_once;
}

/// Prepares the lesson's variant with these values for a device.
inline PreparedExperiment prepare_case(const Lesson& lesson, const Values& values, std::string variant,
                                       const Limits& limits = software_device()) {
    return prepare(lesson, {lesson.id, std::move(variant), values, {}, std::nullopt}, limits);
}
inline Plan plan_of(const Lesson& lesson, const Values& values, std::string variant,
                    const Limits& limits = software_device()) {
    return prepare_case(lesson, values, std::move(variant), limits).plan;
}

/// Returns the workgroups of the main launch.
inline std::uint64_t requested_grid(const Lesson& lesson, const Values& values, std::string variant,
                                    const Limits& limits) {
    return plan_of(lesson, values, std::move(variant), limits).main().workgroup_count();
}

/// Selects the remarks about a launch: those of one severity and beside one control, if they are given.
struct Which {
    std::optional<Severity> severity = std::nullopt;
    std::optional<std::string_view> beside = std::nullopt;
};
inline std::string remarks_on(const PreparedExperiment& prepared, const Which& which = {}) {
    std::string all;
    for (const Remark& remark : prepared.remarks)
        if (remark.severity == which.severity.value_or(remark.severity) &&
            remark.parameter == which.beside.value_or(remark.parameter))
            all += remark.text + "\n";
    return all;
}
/// Returns why a launch is refused.
inline std::string refusal_of(const PreparedExperiment& prepared) {
    return message_of<Refusal>([&] { require_valid(prepared); });
}

/// Returns the facts that a variant (by default the lesson's default one) computes from these outputs.
inline std::vector<Fact> facts_of(const Lesson& lesson, const Values& values, const Outputs& outputs,
                                  const std::string& variant = {}) {
    const PreparedExperiment run =
        prepare_case(lesson, values, variant.empty() ? lesson.default_variant : variant);
    return run.task.result(run, outputs);
}
/// Returns the result of the lesson's baseline, on one thread and on all.
inline std::array<double, 2> baselines_of(const Lesson& lesson, const Input& input, const Values& values) {
    const Values shaping = lesson.values_affecting(Invalidates::reference, values);
    return {lesson.baseline(input, shaping, baseline_threads[0].sum_ranges),
            lesson.baseline(input, shaping, baseline_threads[1].sum_ranges)};
}

/// Checks what holds for the plan of any lesson: it respects the device's limits, can be cut into slices, and
/// its main launch is the one that the values request.
inline void expect_sound(const PreparedExperiment& prepared) {
    const Plan& plan = prepared.plan;
    const Limits& limits = prepared.limits;
    for (const Dispatch* dispatch : dispatches(plan)) {
        EXPECT_LE(dispatch->workgroup_size(), limits.max_workgroup_size);
        EXPECT_LE(dispatch->grid.x, limits.max_grid.x);
        EXPECT_LE(dispatch->grid.y, limits.max_grid.y);
        EXPECT_LE(dispatch->shared_bytes, limits.max_shared_bytes);
        EXPECT_EQ(slice(*dispatch, plan.buffers, limits).refusal, "");
    }
    const Dispatch& main = plan.main();
    EXPECT_GE(main.workgroup_count(), 1u);
    // A launch may have two dimensions; only the products must agree.
    EXPECT_EQ(main.workgroup_size(), requested_workgroup(prepared.values()).product());
    EXPECT_EQ(main.elements(), prepared.lesson->domain_extent(prepared.values()).product());
    if (requested_grid(prepared.values()).x > 0) {
        EXPECT_EQ(main.grid, requested_grid(prepared.values()));
    }
}

/// Runs a host step on these arrays, in the order of its reads, and returns its output.
inline Array made_by(const HostStep& host, const std::vector<ArrayRef>& arrays) {
    std::vector<const Array*> pointers;
    pointers.reserve(arrays.size());
    for (const ArrayRef& array : arrays)
        pointers.push_back(array.get());
    return host.work(pointers);
}

/// Returns the expectation of an output; null if there is none.
inline const Expected* expected_of(const std::vector<Expected>& all, std::string_view output) {
    const auto found = std::ranges::find_if(all, [&](const Expected& one) { return one.output == output; });
    return found == all.end() ? nullptr : &*found;
}

/// Returns the picture with this id; null if there is none.
inline const Plot* plot_of(const std::vector<Plot>& plots, std::string_view id) {
    const auto found = std::ranges::find_if(plots, [&](const Plot& plot) { return plot.id == id; });
    return found == plots.end() ? nullptr : &*found;
}

/// Returns the content of a picture as its type; throws std::out_of_range if there is no such picture.
template <class Content>
Content content_of(const std::vector<Plot>& plots, std::string_view id) {
    const Plot* const plot = plot_of(plots, id);
    if (!plot) throw std::out_of_range("there is no picture " + std::string(id));
    return std::get<Content>(plot->content);
}

/// Makes the report of a successful run without outputs and times.
inline Report finished_run(const Lesson& lesson, const Values& values, std::string variant,
                           const Limits& device = software_device()) {
    Report report;
    report.experiment = {lesson.id, std::move(variant), values, {}, std::nullopt};
    report.device = device;
    report.status = Status::ok;
    return report;
}

/// Returns the runs as the pictures receive them, oldest first.
inline std::vector<const Report*> history_of(const std::vector<Report>& runs) {
    std::vector<const Report*> history;
    history.reserve(runs.size());
    for (const Report& run : runs)
        history.push_back(&run);
    return history;
}

/// Returns one of a lesson's facts; for an array, its length. Throws std::out_of_range if there is none.
inline double number_of(std::vector<Fact> facts, std::string_view id) {
    Report report;
    report.result = std::move(facts);
    const std::optional<double> number = metric(report, id);
    if (!number) throw std::out_of_range("there is no result " + std::string(id));
    return *number;
}

}  // namespace gridstride::test

// What the tests of every lesson need: devices and launches to try its plans on, and ways to look into plans,
// references and results.
#pragma once

#include "figures/figures.h"
#include "launch/slices.h"
#include "lesson/building_blocks.h"
#include "lesson/lesson.h"
#include "lesson/metrics.h"
#include "test_includes.h"

namespace gridstride::test {

/// Mesa's llvmpipe, which every machine can have, in what lessons look at.
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

/// An NVIDIA H200.
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

/// The parameters that all lessons have.
struct Launch {
    std::uint64_t elements = 1;
    std::uint64_t size = 1;  ///< invocations of a workgroup
    std::uint64_t grid = 0;  ///< workgroups; 0: the lesson chooses
};

/// Settings as a person writes them.
using Settings = std::vector<std::pair<std::string_view, std::string>>;
/// These, and the lesson's defaults for all else.
inline Values values_with(const Lesson& lesson, const Settings& settings) {
    Values values(lesson.parameters);
    for (const auto& [name, text] : settings)
        values.set(name, parse(*find(lesson.parameters, name), text));
    return values;
}
/// The launch, with the lesson's defaults for all else.
inline Values values_with(const Lesson& lesson, const Launch& launch) {
    Values values(lesson.parameters);
    values.set("elements", launch.elements);
    values.set("workgroup_size", launch.size);
    values.set("workgroup_count", launch.grid);
    return values;
}

/// Launches to be tried: every count of elements with every size and every grid.
struct Launches {
    std::vector<std::uint64_t> elements;
    std::vector<std::uint64_t> sizes;
    std::vector<std::uint64_t> grids;
};

/// Calls check(variant's id, limits, launch) for each variant of the lesson, device and launch; what fails in
/// it names them.
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

/// The most loop iterations that an invocation of a dispatch spends, as the plan declares them.
inline std::uint64_t promised_iterations(const Dispatch& dispatch) {
    return dispatch.passes() * dispatch.iterations_per_pass + dispatch.iterations_once;
}

/// The lesson's variant with these values, made ready on a device.
inline PreparedExperiment prepare_case(const Lesson& lesson, const Values& values, std::string variant,
                                       const Limits& limits = software_device()) {
    return prepare(lesson, {lesson.id, std::move(variant), values, {}, std::nullopt}, limits);
}
inline Plan plan_of(const Lesson& lesson, const Values& values, std::string variant,
                    const Limits& limits = software_device()) {
    return prepare_case(lesson, values, std::move(variant), limits).plan;
}

/// The workgroups of the main launch.
inline std::uint64_t requested_grid(const Lesson& lesson, const Values& values, std::string variant,
                                    const Limits& limits) {
    return plan_of(lesson, values, std::move(variant), limits).main().workgroup_count();
}

/// What is said of a launch, a remark a line: of one severity and beside one control, where they are named.
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
/// Why a launch is refused.
inline std::string refusal_of(const PreparedExperiment& prepared) {
    return message_of<Refusal>([&] { require_valid(prepared); });
}

/// The facts that a variant, the lesson's default one unless it is named, makes of these outputs.
inline std::vector<Fact> facts_of(const Lesson& lesson, const Values& values, const Outputs& outputs,
                                  const std::string& variant = {}) {
    const PreparedExperiment run =
        prepare_case(lesson, values, variant.empty() ? lesson.default_variant : variant);
    return run.task.result(run, outputs);
}
/// What the lesson's baseline returns, on one thread and on all.
inline std::array<double, 2> baselines_of(const Lesson& lesson, const Input& input, const Values& values) {
    const Values shaping = lesson.values_affecting(Invalidates::reference, values);
    return {lesson.baseline(input, shaping, baseline_threads[0].sum_ranges),
            lesson.baseline(input, shaping, baseline_threads[1].sum_ranges)};
}

/// What holds for the plan of any lesson: it keeps to the device, can be cut into slices, and its main launch
/// is the one of the values.
inline void expect_sound(const PreparedExperiment& prepared) {
    const Plan& plan = prepared.plan;
    const Limits& limits = prepared.limits;
    for (const Dispatch* dispatch : dispatches(plan)) {
        EXPECT_LE(dispatch->workgroup_size(), limits.max_workgroup_size);
        EXPECT_LE(dispatch->workgroup_count(), limits.max_grid.x);
        EXPECT_LE(dispatch->shared_bytes, limits.max_shared_bytes);
        EXPECT_EQ(slice(*dispatch, plan.buffers, limits).refusal, "");
    }
    const Dispatch& main = plan.main();
    EXPECT_GE(main.workgroup_count(), 1u);
    // A launch may go over rows and columns as over one line.
    EXPECT_EQ(main.workgroup_size(), requested_workgroup(prepared.values()).product());
    EXPECT_EQ(main.elements(), prepared.lesson->domain_extent(prepared.values()).product());
    if (requested_grid(prepared.values()).x > 0) {
        EXPECT_EQ(main.grid, requested_grid(prepared.values()));
    }
}

/// What a step of the CPU makes of these arrays, in the order of its reads.
inline Array made_by(const HostStep& host, const std::vector<ArrayRef>& arrays) {
    std::vector<const Array*> pointers;
    pointers.reserve(arrays.size());
    for (const ArrayRef& array : arrays)
        pointers.push_back(array.get());
    return host.work(pointers);
}

/// What is said of an output; null where nothing is.
inline const Expected* expected_of(const std::vector<Expected>& all, std::string_view output) {
    const auto found = std::ranges::find_if(all, [&](const Expected& one) { return one.output == output; });
    return found == all.end() ? nullptr : &*found;
}

/// Null where there is none.
inline const Plot* plot_of(const std::vector<Plot>& plots, std::string_view id) {
    const auto found = std::ranges::find_if(plots, [&](const Plot& plot) { return plot.id == id; });
    return found == plots.end() ? nullptr : &*found;
}

/// What a picture shows, of the kind that it is; std::out_of_range where there is none.
template <class Content>
Content content_of(const std::vector<Plot>& plots, std::string_view id) {
    const Plot* const plot = plot_of(plots, id);
    if (!plot) throw std::out_of_range("there is no picture " + std::string(id));
    return std::get<Content>(plot->content);
}

/// A run that went well, before anything that it computed or measured is filled in.
inline Report finished_run(const Lesson& lesson, const Values& values, std::string variant,
                           const Limits& device = software_device()) {
    Report report;
    report.experiment = {lesson.id, std::move(variant), values, {}, std::nullopt};
    report.device = device;
    report.status = Status::ok;
    return report;
}

/// The runs as pictures get them, oldest first.
inline std::vector<const Report*> history_of(const std::vector<Report>& runs) {
    std::vector<const Report*> history;
    history.reserve(runs.size());
    for (const Report& run : runs)
        history.push_back(&run);
    return history;
}

/// One of a lesson's results; of an array its length. Throws std::out_of_range where there is none.
inline double number_of(std::vector<Fact> facts, std::string_view id) {
    Report report;
    report.result = std::move(facts);
    const std::optional<double> number = metric(report, id);
    if (!number) throw std::out_of_range("there is no result " + std::string(id));
    return *number;
}

}  // namespace gridstride::test

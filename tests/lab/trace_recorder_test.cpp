// Tests the contents of a trace, and that tracing changes no measured time, through the client as the window
// and the command line do.
#include "lab/trace_recorder.h"

#include "client/client.h"
#include "gpu/device.h"
#include "lab/reduction_lab.h"
#include "lesson/lesson.h"
#include "test_includes.h"
#include "trace/branches.h"
#include "trace/findings.h"
#include "trace/trace_text.h"

namespace gridstride::lab::trace_recorder_test {

using trace::Finding;
using trace::FindingKind;
using trace::FindingStatus;
using trace::SiteKind;

class RecorderTest : public ReductionLab {
 protected:
    /// Makes a request like one for times; a trace must measure none.
    static Request request(const std::string& variant = "tree_sequential",
                           const std::vector<Setting>& settings = {}) {
        Request request = ReductionLab::request(variant, settings);
        request.sampling = {};
        request.trace_options.emplace();
        return request;
    }

    /// The trace of a report, analyzed.
    struct TracedRun {
        Report report;
        std::vector<trace::Record> records;
        std::vector<Finding> findings;

        std::vector<Finding> all(FindingKind kind) const {
            std::vector<Finding> found;
            std::ranges::copy_if(findings, std::back_inserter(found),
                                 [&](const Finding& finding) { return finding.kind == kind; });
            return found;
        }
        const trace::Site& site(const trace::Record& record) const {
            return report.trace->sites[record.site];
        }
    };
    static TracedRun traced(Request request) {
        TracedRun traced_run{run(std::move(request)), {}, {}};
        EXPECT_TRUE(traced_run.report.trace) << traced_run.report.message;
        if (!traced_run.report.trace) return traced_run;
        EXPECT_EQ(traced_run.report.trace->reason, "");
        traced_run.records = trace::decode_records(*traced_run.report.trace);
        traced_run.findings = traced_run.report.findings;
        return traced_run;
    }
};

/// Returns a kernel of the user's in which lane i of each workgroup loops i times.
KernelSource uneven_loop() {
    return {
        "#version 450\n"
        "#extension GL_GOOGLE_include_directive : require\n"
        "#include \"common/launch.glsl\"\n"
        "layout(std430, binding = 1) buffer PartialSums { uint partial_sums[]; };\n"
        "void main() {\n"
        "    uint sum = 0u;\n"
        "    for (uint n = 0u; n < gl_LocalInvocationIndex; ++n)\n"
        "        sum += n * n;\n"
        "    if (gl_LocalInvocationIndex == 0u) partial_sums[gl_WorkGroupID.x] = sum;\n"
        "}\n",
        "mine.comp", ""};
}

/// Each of 128 invocations makes a load, a store and a barrier; the seven levels make 127 additions in all,
/// each with two loads and a store, and a barrier of 128 each; at the end the sum is loaded and stored: 1663
/// records per workgroup.
constexpr std::uint64_t records_of_a_workgroup = 3 * 128 + 3 * 127 + 7 * 128 + 2;

TEST_F(RecorderTest, RecordsACorrectTree) {
    const TracedRun traced_run = traced(request());
    const trace::Trace& trace = traced_run.report.trace.value();
    EXPECT_EQ(traced_run.report.status, Status::ok) << traced_run.report.message;
    EXPECT_EQ(std::get<std::uint64_t>(traced_run.report.result.front().value), 524800u);
    EXPECT_EQ(traced_run.records.size(), 8 * records_of_a_workgroup);
    EXPECT_EQ(traced_run.records.size(), 13'304u);
    EXPECT_EQ(trace.lost, 0u);
    EXPECT_TRUE(trace.is_whole_launch());
    EXPECT_EQ(trace.kernel, "reduction/tree_sequential.comp");
    EXPECT_THAT(trace.launch, Mentions("workgroup"));
    EXPECT_EQ(trace.workgroup, Extent{128});
    EXPECT_EQ(trace.grid, Extent{8});
    ASSERT_EQ(trace.buffers.size(), 2u) << "the record buffer does not belong to the launch";
    EXPECT_EQ(trace.buffers[0].name, "numbers");
    EXPECT_EQ(trace.buffers[0].elements, 1024u);
    EXPECT_TRUE(trace.buffers[1].output);
    EXPECT_EQ(trace.subgroup_size, traced_run.report.device.subgroup_size);
    const std::uint32_t banks = traced_run.report.device.shared_banks;
    EXPECT_EQ(trace.banks, banks > 0 ? banks : 32U);
    EXPECT_THAT(trace.banks_note, HasSubstr("banks"));
    ASSERT_THAT(traced_run.all(FindingKind::race), SizeIs(1));
    EXPECT_EQ(traced_run.all(FindingKind::race).front().status, FindingStatus::ok);
}

TEST_F(RecorderTest, RecordsWorkgroupPlacementsIfTheDeviceReportsThem) {
    Request one_workgroup = request();
    one_workgroup.trace_options->last_workgroup = 0;
    const Report report = run(one_workgroup);
    ASSERT_TRUE(report.trace);
    if (!report.device.multiprocessor_and_clock) {
        EXPECT_TRUE(report.trace->placements.empty());
        EXPECT_THAT(trace::placement_text(*report.trace, 0), HasSubstr("does not report"));
        return;
    }
    ASSERT_EQ(report.trace->placements.size(), 8u) << "one for each workgroup";
    for (const trace::WorkgroupPlacement& stay : report.trace->placements) {
        EXPECT_LT(0u, stay.start_time);
        EXPECT_LT(stay.start_time, stay.end_time);
    }
}

TEST_F(RecorderTest, ReservesPlacementsOfAllWorkgroupsUpToALimit) {
    Limits device;
    device.multiprocessor_and_clock = true;
    device.max_binding_bytes = std::uint64_t{1} << 30;
    Plan plan = prepare(request().experiment, device).plan;
    const auto launch = std::ranges::find_if(
        plan.steps, [](const Step& step) { return std::holds_alternative<Dispatch>(step); });
    for (const std::uint64_t workgroups : {1000, 100'000}) {
        std::get<Dispatch>(*launch).grid = {workgroups};
        // The accesses of one workgroup are traced_report.
        const TraceOptions options{.first_workgroup = 7, .last_workgroup = 7};
        TraceRecorder recorder(plan, options, device);
        const Plan traced = recorder.plan("reduction/tree_sequential", {}, "tree", "no branches");
        const auto records = std::ranges::find(traced.buffers, "records", &BufferSpec::name);
        ASSERT_NE(records, traced.buffers.end());
        const std::uint64_t placed_workgroups = std::min(workgroups, trace::max_placements);
        EXPECT_EQ(records->elements(),
                  trace::words::head + (options.max_records + 1 + placed_workgroups) * trace::words::length);
        const Array& head = get(recorder.input({}), "records' head");
        EXPECT_EQ(head.as<std::uint32_t>()[trace::words::placed], placed_workgroups);
    }
}

TEST_F(RecorderTest, FindsTheRacesOfAMissingBarrier) {
    Request wrong = request("tree_sequential", {{"barriers", "one_missing"}});
    const TracedRun traced_run = traced(wrong);
    EXPECT_EQ(traced_run.records.size(), 8 * (records_of_a_workgroup - 128));
    const std::vector<Finding> races = traced_run.all(FindingKind::race);
    ASSERT_EQ(races.size(), 1u);
    EXPECT_EQ(races.front().status, FindingStatus::problem);
    EXPECT_EQ(races.front().count, 512u) << "64 in each of 8 workgroups";
}

TEST_F(RecorderTest, TracedRunHasNoTimesAndNoExtraArrays) {
    const Report traced_report = run(request());
    EXPECT_EQ(traced_report.compare.judged_runs, 1u);
    for (const Timing* timing :
         {&traced_report.timings.upload, &traced_report.timings.kernel, &traced_report.timings.host,
          &traced_report.timings.download, &traced_report.timings.wall, &traced_report.timings.cpu,
          &traced_report.timings.kernel_in_wall})
        EXPECT_THAT(timing->samples, IsEmpty());
    EXPECT_THAT(traced_report.timeline, IsEmpty());
    EXPECT_EQ(traced_report.bytes_per_second(), 0);

    Request timed = request();
    timed.trace_options.reset();
    timed.sampling.samples = 1;
    const Report plain = run(timed);
    EXPECT_FALSE(plain.trace);
    const auto names = [](const std::vector<NamedArray>& arrays) {
        std::vector<std::string> all;
        for (const NamedArray& named : arrays)
            all.push_back(named.name);
        return all;
    };
    EXPECT_EQ(names(traced_report.outputs), names(plain.outputs));
    EXPECT_EQ(names(traced_report.input), names(plain.input));
}

TEST_F(RecorderTest, RecordsLoopsWithoutAccessesAsBranches) {
    Request uneven =
        request("tree_sequential", {{"elements", 128}, {"workgroup_size", 64}, {"workgroup_count", 2}});
    uneven.experiment.kernel = uneven_loop();
    const TracedRun traced_run = traced(uneven);
    const trace::Trace& trace = traced_run.report.trace.value();
    ASSERT_THAT(trace.sites, SizeIs(3));
    EXPECT_EQ(trace.sites[0].kind, SiteKind::store);
    EXPECT_EQ(trace.sites[1].kind, SiteKind::branch);
    EXPECT_EQ(trace.sites[1].line, 7U);
    EXPECT_EQ(trace.sites[2].line, 9U);
    EXPECT_EQ(trace.last_branch_workgroup, 1U);
    EXPECT_EQ(trace.lost_branches, 0U);
    EXPECT_EQ(trace.branches_note, "");
    // Invocation i enters the loop's body i times, and tests its condition once more.
    constexpr std::uint64_t all_turns = 63 * 64 / 2;
    const std::vector<std::uint64_t> executions = trace::count_executions(trace, traced_run.records);
    EXPECT_THAT(executions, ElementsAre(2, 2 * (all_turns + 64), 2 * 64));
    // A subgroup runs as many turns as its last lane.
    const std::uint64_t width = trace.subgroup_size;
    std::uint64_t turns = 0;
    for (std::uint64_t last = width - 1; last < 64; last += width)
        turns += last;
    const std::vector<Finding> activity = traced_run.all(FindingKind::activity);
    const auto loop_activity = std::ranges::find(activity, std::optional<std::uint32_t>(1), &Finding::site);
    ASSERT_NE(loop_activity, activity.end());
    EXPECT_EQ(loop_activity->count, 2 * turns);
    EXPECT_DOUBLE_EQ(loop_activity->value.value(),
                     static_cast<double>(all_turns) / static_cast<double>(turns));
    const auto metric = [&](const std::string& name) {
        const auto found = std::ranges::find(traced_run.report.trace_metrics, name, &TraceMetric::name);
        return found == traced_run.report.trace_metrics.end() || !found->value ? -1 : found->value->value;
    };
    EXPECT_DOUBLE_EQ(metric("active_share(7)"),
                     static_cast<double>(all_turns) / static_cast<double>(turns * width));
    EXPECT_DOUBLE_EQ(metric("active_share(9)"), 1.0 / static_cast<double>(width)) << "only the store";
    // The loop and the store. The way to the store does not count again.
    EXPECT_DOUBLE_EQ(metric("active_share"),
                     static_cast<double>(all_turns + 1) / static_cast<double>((turns + 1) * width));
}

TEST_F(RecorderTest, RecordsBranchesOfWholeWorkgroupsUpToTheLimit) {
    Request uneven =
        request("tree_sequential", {{"elements", 256}, {"workgroup_size", 64}, {"workgroup_count", 4}});
    uneven.experiment.kernel = uneven_loop();
    const std::size_t records_per_workgroup = trace::decode_branches(*traced(uneven).report.trace).size() / 4;
    const bool ballots = traced(uneven).report.trace->ballots;
    const std::uint64_t records = ballots ? records_per_workgroup : 63 * 64 / 2 + 2 * 64;
    uneven.trace_options->max_branch_records = 3 * records - 1;
    const TracedRun traced_run = traced(uneven);
    EXPECT_EQ(traced_run.report.trace->last_workgroup, 3U);
    EXPECT_EQ(traced_run.report.trace->last_branch_workgroup, 1U);
    EXPECT_EQ(traced_run.report.trace->lost_branches, 0U);
    EXPECT_THAT(trace::decode_branches(*traced_run.report.trace), SizeIs(2 * records_per_workgroup));

    uneven.trace_options->max_branch_records = 10;
    const TracedRun cut = traced(uneven);
    EXPECT_EQ(cut.report.trace->last_branch_workgroup, 0U);
    EXPECT_EQ(cut.report.trace->lost_branches, records - 10);
    EXPECT_EQ(cut.report.trace->lost, 0U);
    for (const Finding& finding : cut.all(FindingKind::activity))
        EXPECT_EQ(finding.status == FindingStatus::unknown, finding.site != 0U) << finding.sentence;
    for (const TraceMetric& metric : cut.report.trace_metrics)
        if (metric.name == "active_share") {
            EXPECT_FALSE(metric.value) << metric.sentence;
        }
}

TEST_F(RecorderTest, RecordsTheRequestedWorkgroups) {
    Request some = request();
    some.trace_options->first_workgroup = 2;
    some.trace_options->last_workgroup = 4;
    const TracedRun traced_run = traced(some);
    EXPECT_EQ(traced_run.records.size(), 3 * records_of_a_workgroup);
    EXPECT_EQ(traced_run.records.front().workgroup, 2u);
    EXPECT_EQ(traced_run.records.back().workgroup, 4u);
    EXPECT_FALSE(traced_run.report.trace->is_whole_launch());
    EXPECT_EQ(traced_run.report.status, Status::ok) << "the others ran as well";
}

TEST_F(RecorderTest, RecordsWholeWorkgroupsUpToTheLimit) {
    Request few = request();
    few.trace_options->max_records = 5 * records_of_a_workgroup - 1;
    const TracedRun traced_run = traced(few);
    EXPECT_EQ(traced_run.report.trace->first_workgroup, 0u);
    EXPECT_EQ(traced_run.report.trace->last_workgroup, 3u);
    EXPECT_EQ(traced_run.report.trace->lost, 0u);
    EXPECT_EQ(traced_run.records.size(), 4 * records_of_a_workgroup);
}

TEST_F(RecorderTest, FindingsOfATruncatedWorkgroupAreUnknown) {
    Request few = request();
    few.trace_options->max_records = 100;
    const TracedRun traced_run = traced(few);
    const trace::Trace& trace = traced_run.report.trace.value();
    EXPECT_EQ(trace.last_workgroup, 0u);
    EXPECT_EQ(traced_run.records.size(), 100u);
    EXPECT_EQ(traced_run.records.size() + trace.lost, records_of_a_workgroup);
    EXPECT_FALSE(trace.is_complete());
    for (const FindingKind kind : {FindingKind::race, FindingKind::out_of_bounds, FindingKind::coverage})
        for (const Finding& finding : traced_run.all(kind))
            EXPECT_EQ(finding.status, FindingStatus::unknown) << finding.sentence;
    EXPECT_EQ(traced_run.report.status, Status::ok);
}

TEST_F(RecorderTest, RecordsALaterLaunchOfThePlan) {
    Request second = request("tree_sequential", {{"finish", "gpu"}});
    second.trace_options->launch = 1;
    const TracedRun traced_run = traced(second);
    const trace::Trace& trace = traced_run.report.trace.value();
    EXPECT_EQ(trace.kernel, "common/finish.comp");
    EXPECT_EQ(trace.launch_number, 1u);
    EXPECT_EQ(trace.launches, 2u);
    EXPECT_EQ(trace.grid, Extent{1});
    EXPECT_EQ(trace.buffers[0].name, "partial_sums");
    EXPECT_EQ(trace.buffers[0].elements, 8u);
    EXPECT_EQ(traced_run.report.status, Status::ok) << traced_run.report.message;
}

TEST_F(RecorderTest, JoinsTheRecordsOfSlices) {
    constexpr std::uint64_t numbers = 100'000;
    Request long_one =
        request("grid_stride_plain", {{"elements", numbers}, {"workgroup_size", 1}, {"workgroup_count", 1}});
    long_one.trace_options->max_records = 2 * numbers;
    const TracedRun traced_run = traced(long_one);
    EXPECT_EQ(traced_run.report.status, Status::ok) << traced_run.report.message;
    if (traced_run.report.launch.slices < 2)
        GTEST_SKIP() << "This driver caps no loops, so that nothing of this size is cut into slices.";
    std::vector<std::uint64_t> loads(numbers);
    std::uint32_t sequence = 0;
    for (const trace::Record& record : traced_run.records) {
        EXPECT_EQ(record.sequence, sequence++);
        if (traced_run.site(record).kind == SiteKind::load && traced_run.site(record).binding == 0 &&
            traced_run.site(record).space == trace::MemorySpace::buffer)
            ++loads.at(record.offset / sizeof(std::uint32_t));
    }
    EXPECT_THAT(loads, Each(1u)) << "each element once, at its index in the whole launch";
}

TEST_F(RecorderTest, RecordsAUserKernelUnderItsName) {
    Request own = request();
    own.experiment.kernel = KernelSource{
        "#version 450\n"
        "#extension GL_GOOGLE_include_directive : require\n"
        "#include \"common/launch.glsl\"\n"
        "layout(std430, binding = 1) buffer PartialSums { uint partial_sums[]; };\n"
        "void main() {\n"
        "    partial_sums[gl_GlobalInvocationID.x + 4u] = 7u;\n"
        "}\n",
        "mine.comp", ""};
    const TracedRun traced_run = traced(own);
    EXPECT_EQ(traced_run.report.trace->kernel, "mine.comp");
    EXPECT_EQ(traced_run.report.status, Status::unwritten);
    ASSERT_EQ(traced_run.report.trace->sites.size(), 1u);
    EXPECT_EQ(traced_run.report.trace->sites.front().line, 6u);
    EXPECT_EQ(traced_run.records.size(), 1024u);
    EXPECT_EQ(traced_run.records.back().offset, (1023 + 4) * 4u)
        << "the index in the source, not the clamped one";
    ASSERT_EQ(traced_run.all(FindingKind::out_of_bounds).size(), 1u);
    EXPECT_EQ(traced_run.all(FindingKind::out_of_bounds).front().count, 1020u);
}

TEST_F(RecorderTest, RecordsEachIterationOfALongLoop) {
    constexpr std::uint32_t turns = 30'000;  // less than half of a driver's cap on iterations
    Request own =
        request("tree_sequential", {{"elements", 2}, {"workgroup_size", 2}, {"workgroup_count", 1}});
    own.experiment.kernel = KernelSource{
        "#version 450\n"
        "#extension GL_GOOGLE_include_directive : require\n"
        "#include \"common/launch.glsl\"\n"
        "layout(std430, binding = 1) buffer PartialSums { uint partial_sums[]; };\n"
        "void main() {\n"
        "    for (uint n = 0u; n < 30000u; ++n)\n"
        "        partial_sums[gl_WorkGroupID.x] = n;\n"
        "}\n",
        "mine.comp", ""};
    const TracedRun traced_run = traced(own);
    ASSERT_EQ(traced_run.records.size(), 2 * turns);
    EXPECT_TRUE(traced_run.report.trace->is_complete());
    EXPECT_EQ(traced_run.records[turns - 1].value[0], turns - 1);
}

TEST_F(RecorderTest, RefusesUnknownWorkgroupsAndLaunches) {
    Request beyond = request();
    beyond.trace_options->last_workgroup = 8;
    EXPECT_EQ(run(beyond).status, Status::refused);
    EXPECT_THAT(run(beyond).message, HasSubstr("from 0 to 7"));
    Request turned = request();
    turned.trace_options->first_workgroup = 3;
    turned.trace_options->last_workgroup = 2;
    EXPECT_THAT(run(turned).message, Mentions("smaller"));
    Request third = request();
    third.trace_options->launch = 2;
    EXPECT_EQ(run(third).status, Status::refused);
    EXPECT_THAT(run(third).message, Mentions(0, "number"));
}

TEST_F(RecorderTest, NumbersTwoDimensionalLaunchesByRows) {
    const Plan plan = [] {
        Plan new_plan;
        new_plan.buffers.push_back({"numbers", ElementType::u32, {8, 6}});
        Dispatch launch;
        launch.label = "rows";
        launch.workgroup = {4, 2};
        launch.grid = {2, 3};
        launch.domain = {8, 6};
        launch.tile = {4, 2};
        launch.bindings = {{0, Access::read, true}};
        new_plan.steps.emplace_back(launch);
        return new_plan;
    }();
    const Limits limits;
    TraceRecorder recorder(plan, {.first_workgroup = 5}, limits);
    trace::Site site;
    site.bytes = 4;
    site.value = trace::ValueType::u32;
    const Plan instrumented = recorder.plan("kernel", {site}, "kernel.comp");
    const Array& head = get(recorder.input({}), "records' head");
    EXPECT_EQ(head.as<std::uint32_t>()[trace::words::below], 2u) << "workgroups of a row";
    EXPECT_EQ(head.as<std::uint32_t>()[trace::words::counting], 1u);
    EXPECT_EQ(head.as<std::uint32_t>()[trace::words::first], 5u);
    EXPECT_EQ(head.as<std::uint32_t>()[trace::words::last], 5u);
    const auto& launch = std::get<Dispatch>(instrumented.steps.at(2));
    EXPECT_EQ(launch.kernel, "kernel");
    ASSERT_EQ(launch.bindings.size(), 3u);
    EXPECT_EQ(instrumented.buffers.at(launch.bindings[1].buffer).elements(),
              trace::words::head + ((std::uint64_t{64} << 10) + 1) * trace::words::length);
    EXPECT_THROW(TraceRecorder(plan, {.first_workgroup = 6}, limits), Refusal);
    const trace::Trace none = recorder.make_empty_trace("for a reason");
    ASSERT_EQ(none.buffers.size(), 1u);
    EXPECT_TRUE(none.buffers[0].is_sliced);
    EXPECT_EQ(none.buffers[0].slice_bytes, 8 * 4u) << "a row";
}

}  // namespace gridstride::lab::trace_recorder_test

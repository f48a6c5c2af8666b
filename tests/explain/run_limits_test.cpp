#include "explain/run_limits.h"

#include "base/units.h"
#include "test_includes.h"
#include "trace/trace_builder.h"

namespace gridstride::run_limits_test {

using trace::MemorySpace;
using trace::SiteKind;
using trace::test::TraceBuilder;

/// A run of many workgroups on a GPU whose ceilings are round numbers: 1 TB/s of memory, 10 Top/s, 1 µs for a
/// dispatch.
Report make_run(double kernel_ns) {
    Report run;
    run.status = Status::ok;
    run.device.is_cpu = false;
    run.device.multiprocessors = 100;
    run.device.subgroups_per_multiprocessor = 64;
    run.ceilings = Ceilings{.copy_bytes_per_second = 1e12,
                            .empty_dispatch_ns = 1000,
                            .empty_submit_ns = 10'000,
                            .operations_per_second = 1e13,
                            .cache_bytes_per_second = 4e12,
                            .workgroup_memory_bytes_per_second = 1e13,
                            .barriers_per_second = 1e9,
                            .atomics_per_second = 1e11,
                            .contended_atomics_per_second = 1e9,
                            .latencies = {{4096, 30}, {std::uint64_t{1} << 30, 600}}};
    run.timings.kernel.samples = {kernel_ns};
    run.launch = {.workgroup = {32}, .grid = {1'000'000}, .launches = 1, .dispatches = 1, .submissions = 1};
    run.bytes_moved = 10'000;
    run.cache.working_set_bytes = 10'000;
    return run;
}

/// Records one workgroup of 32 lanes, of a million.
TraceBuilder make_trace() {
    TraceBuilder trace({32}, {1'000'000}, 32);
    trace.trace().last_workgroup = 0;
    trace.trace().buffers[0].elements = 1 << 30;
    return trace;
}

/// Lane i accesses byte place(i), unless that is negative.
template <class Place>
void access(TraceBuilder& trace, const trace::Site& site, Place place) {
    const std::uint32_t number = trace.add(site);
    for (std::int64_t lane = 0; lane < 32; ++lane)
        if (const std::int64_t at = place(lane); at >= 0)
            trace.at(0, static_cast<std::uint32_t>(lane), number, static_cast<std::uint64_t>(at));
}

RunLimits limits_of(const Report& run, const TraceBuilder& builder) {
    auto report = std::make_shared<Report>(run);
    report->trace = builder.build();
    const AnalyzedTrace analysis{
        .report = report, .records = builder.records(), .findings = builder.findings()};
    return find_run_limits(run, &analysis);
}

const LimitFinding& find(const RunLimits& limits, LimitKind kind) {
    const auto found = std::ranges::find(limits.findings, kind, &LimitFinding::kind);
    if (found == limits.findings.end()) throw std::runtime_error(std::string(name(kind)) + " is missing");
    return *found;
}

/// Expects that this kind is first, with a bound in this range.
void expect_first(const RunLimits& limits, LimitKind kind, double low, double high) {
    ASSERT_FALSE(limits.findings.empty());
    const LimitFinding& first = limits.findings.front();
    EXPECT_EQ(name(first.kind), name(kind)) << first.evidence;
    EXPECT_GE(first.max_speedup, low) << first.evidence;
    EXPECT_LE(first.max_speedup, high) << first.evidence;
    EXPECT_FALSE(first.is_unclear);
}

TEST(RunLimits, RankBankConflictsFirstIfTheyFillTheTime) {
    // 32 turns of 128 bytes for each workgroup are 4.1 GB: 410 µs at 10 TB/s.
    const auto limits_at = [](std::int64_t stride) {
        TraceBuilder trace = make_trace();
        access(trace, trace::test::shared(SiteKind::load, 5, 4096),
               [&](std::int64_t lane) { return stride * lane; });
        return limits_of(make_run(420'000), trace);
    };
    const RunLimits limits = limits_at(128);
    expect_first(limits, LimitKind::bank_conflicts, 16, 32);
    EXPECT_EQ(limits.findings.front().lines, (std::vector<trace::SourceLine>{{"", 5}}));
    EXPECT_EQ(limits.findings.front().origin, Origin::modelled);
    EXPECT_LT(find(limits_at(4), LimitKind::bank_conflicts).max_speedup, min_speedup);
}

TEST(RunLimits, GiveLittleGainForShortBankConflicts) {
    TraceBuilder trace = make_trace();
    access(trace, trace::test::shared(SiteKind::load, 5, 4096), [](std::int64_t lane) { return 128 * lane; });
    // 410 µs of 41 ms, and twice that may be waited for.
    EXPECT_LT(find(limits_of(make_run(41e6), trace), LimitKind::bank_conflicts).max_speedup, 1.03);
}

TEST(RunLimits, RankUnusedBytesOfSectorsFirst) {
    TraceBuilder trace = make_trace();
    access(trace, trace::test::bound(SiteKind::load, 9), [](std::int64_t lane) { return 32 * lane; });
    // 32 sectors of 32 bytes for each of a million workgroups: 1 ms at 1 TB/s. An eighth is needed.
    expect_first(limits_of(make_run(1.1e6), trace), LimitKind::sectors, 4, 8);
}

TEST(RunLimits, RankInactiveLanesFirst) {
    TraceBuilder trace = make_trace();
    access(trace, trace::test::bound(SiteKind::load, 9),
           [](std::int64_t lane) { return lane < 8 ? 4 * lane : -1; });
    const RunLimits limits = limits_of(make_run(10e6), trace);
    expect_first(limits, LimitKind::divergence, 4, 4);
    EXPECT_EQ(limits.findings.front().origin, Origin::traced);
}

TEST(RunLimits, CountBarriersOfAllWorkgroups) {
    TraceBuilder trace = make_trace();
    const std::uint32_t wait = trace.add(trace::test::barrier(7));
    for (int i = 0; i < 10; ++i)
        for (std::uint32_t lane = 0; lane < 32; ++lane)
            trace.at(0, lane, wait);
    // 10 million barriers at a billion a second: 10 ms.
    const RunLimits limits = limits_of(make_run(11e6), trace);
    expect_first(limits, LimitKind::barriers, 5, 11'000);
    EXPECT_THAT(limits.findings.front().evidence, HasSubstr("10 barriers"));
    EXPECT_LT(find(limits_of(make_run(1e9), trace), LimitKind::barriers).max_speedup, min_speedup);
}

TEST(RunLimits, CountAtomicsAtOneAddress) {
    TraceBuilder trace = make_trace();
    access(trace, trace::test::bound(SiteKind::atomic, 3), [](std::int64_t) { return 0; });
    // A million requests of 32 lanes, at a billion lanes a second: 32 ms.
    expect_first(limits_of(make_run(33e6), trace), LimitKind::contended_atomics, 5, 33'000);
    EXPECT_THAT(find(limits_of(make_run(33e6), trace), LimitKind::contended_atomics).evidence,
                HasSubstr(format_count(1'000'000) + " atomic requests"));
    // One lane of each subgroup takes as long as all: a request is a request.
    TraceBuilder elected = make_trace();
    access(elected, trace::test::bound(SiteKind::atomic, 3),
           [](std::int64_t lane) { return lane == 0 ? 0 : -1; });
    EXPECT_GT(find(limits_of(make_run(33e6), elected), LimitKind::contended_atomics).max_speedup, 5);
}

TEST(RunLimits, FindTooFewWorkgroupsAndTheLastWave) {
    Report run = make_run(1e6);
    run.launch.grid = {25};
    RunLimits limits = find_run_limits(run, nullptr);
    // 100 multiprocessors of 64 subgroups hold 6 400 workgroups of one subgroup.
    expect_first(limits, LimitKind::few_workgroups, 200, 256);
    EXPECT_EQ(limits.findings.front().origin, Origin::computed);
    EXPECT_THAT(limits.missing, HasSubstr("no trace"));
    run.launch.grid = {6'500};
    EXPECT_NEAR(find(find_run_limits(run, nullptr), LimitKind::last_wave).max_speedup, 2 * 6'400.0 / 6'500,
                1e-9);
    run.launch.grid = {12'800};
    EXPECT_EQ(find(find_run_limits(run, nullptr), LimitKind::last_wave).max_speedup, 1);
}

TEST(RunLimits, FindTooFewBytesInFlight) {
    Report run = make_run(1e6);
    run.bytes_moved = run.cache.working_set_bytes = 100'000'000;  // 100 µs at the full rate
    run.launch.grid = {100};
    TraceBuilder trace({32}, {100}, 32);
    trace.trace().last_workgroup = 0;
    access(trace, trace::test::bound(SiteKind::load, 9), [](std::int64_t lane) { return 4 * lane; });
    // 600 ns at 1 TB/s need 600 KB; 3 200 invocations with 4 bytes each have 12.8 KB, and the rate shows 60
    // KB.
    expect_first(limits_of(run, trace), LimitKind::bytes_in_flight, 9.9, 10);
}

TEST(RunLimits, RankLaunchesByTheirMeasuredCost) {
    Report run = make_run(210'000);
    run.launch.dispatches = run.launch.launches = 200;
    const RunLimits limits = find_run_limits(run, nullptr);
    expect_first(limits, LimitKind::launches, 100, 210);
    EXPECT_EQ(limits.findings.front().origin, Origin::measured);
    run.launch.dispatches = 1;
    EXPECT_EQ(find(find_run_limits(run, nullptr), LimitKind::launches).max_speedup, 1);
}

TEST(RunLimits, GiveNoGainAtACeiling) {
    Report run = make_run(1.02e6);
    run.bytes_moved = 1'000'000'000;  // 1 ms at 1 TB/s
    TraceBuilder trace = make_trace();
    access(trace, trace::test::bound(SiteKind::load, 9), [](std::int64_t lane) { return 32 * lane; });
    access(trace, trace::test::shared(SiteKind::load, 5, 4096), [](std::int64_t lane) { return 128 * lane; });
    access(trace, trace::test::bound(SiteKind::store, 9),
           [](std::int64_t lane) { return lane == 0 ? 0 : -1; });
    for (const LimitFinding& finding : limits_of(run, trace).findings)
        EXPECT_LT(finding.max_speedup, min_speedup) << finding.title;
}

TEST(RunLimits, TakeTheRateOfTheCacheOnlyIfTheRunShowsIt) {
    // A million bytes for each µs of the kernel are 1 TB/s, the rate of a copy; the cache has 4.
    const auto limits_at = [](double kernel_ns, std::uint64_t working_set_mib, bool is_assumed) {
        Report run = make_run(kernel_ns);
        run.bytes_moved = 64'000'000;
        run.cache = {.working_set_bytes = working_set_mib << 20, .cache_bytes = 128 << 20};
        run.device.is_cache_assumed = is_assumed;
        run.ceilings->latencies = {{4096, 30}, {16 << 20, 270}, {64 << 20, 330}};
        return find_run_limits(run, nullptr).floor_ns;
    };
    EXPECT_EQ(limits_at(70'000, 16, true), 16'000) << "loads take as long as in the measurement of the cache";
    EXPECT_EQ(limits_at(70'000, 64, true), 64'000) << "they take longer";
    EXPECT_EQ(limits_at(70'000, 64, false), 16'000) << "the size of the cache is known";
    EXPECT_EQ(limits_at(40'000, 64, true), 16'000) << "faster than a copy";
    EXPECT_EQ(limits_at(70'000, 256, false), 64'000) << "does not fit";
}

TEST(RunLimits, DoNotApplyTheCeilingOfF32ToMatrixUnits) {
    Report run = make_run(500'000);
    run.operations = 20'000'000'000;  // 2 ms at 10 Top/s
    TraceBuilder trace = make_trace();
    access(trace, trace::test::bound(SiteKind::load, 9), [](std::int64_t lane) { return 4 * lane; });
    EXPECT_EQ(find_run_limits(run, nullptr).floor_ns, 2'000'000);
    run.device.cooperative_matrix = true;
    const RunLimits untraced = find_run_limits(run, nullptr);
    EXPECT_EQ(untraced.floor_ns, 1000) << "a dispatch";
    EXPECT_THAT(untraced.findings,
                Not(Contains(testing::Field(&LimitFinding::kind, LimitKind::arithmetic_rate))));
    EXPECT_THAT(find(untraced, LimitKind::unexplained).evidence, HasSubstr("matrix units"));
    EXPECT_EQ(limits_of(run, trace).floor_ns, 2'000'000) << "no kernel with matrix units can be traced";
}

TEST(RunLimits, NameTwoFlaws) {
    TraceBuilder trace = make_trace();
    access(trace, trace::test::shared(SiteKind::load, 5, 4096), [](std::int64_t lane) { return 128 * lane; });
    access(trace, trace::test::bound(SiteKind::load, 9), [](std::int64_t lane) { return 32 * lane; });
    const RunLimits limits = limits_of(make_run(1.4e6), trace);
    EXPECT_GT(find(limits, LimitKind::bank_conflicts).max_speedup, 1.3);
    EXPECT_GT(find(limits, LimitKind::sectors).max_speedup, 1.3);
}

TEST(RunLimits, ReportUnexplainedTime) {
    const RunLimits limits = find_run_limits(make_run(1e6), nullptr);
    const LimitFinding& rest = find(limits, LimitKind::unexplained);
    EXPECT_TRUE(rest.is_unclear);
    EXPECT_EQ(rest.max_speedup, 1000) << "the kernel takes 1 ms, an empty dispatch 1 µs";
}

TEST(RunLimits, PutTheWholeRunAfterTheKernel) {
    Report run = make_run(1e6);
    run.timings.upload.samples = run.timings.download.samples = {2e6};
    run.timings.wall.samples = {5e6};
    run.launch.submissions = 100;
    const RunLimits limits = find_run_limits(run, nullptr);
    EXPECT_NEAR(find(limits, LimitKind::transfers).max_speedup, 5, 1e-9);
    EXPECT_NEAR(find(limits, LimitKind::submits).max_speedup, 5 / (5 - 0.99), 1e-9);
    EXPECT_TRUE(std::ranges::is_sorted(limits.findings, {}, &LimitFinding::is_of_run));
}

TEST(RunLimits, DoNotApplyTheModelOfAGpuToASoftwareDevice) {
    Report run = make_run(420'000);
    run.device.is_cpu = true;
    TraceBuilder trace = make_trace();
    access(trace, trace::test::shared(SiteKind::load, 5, 4096), [](std::int64_t lane) { return 128 * lane; });
    const RunLimits limits = limits_of(run, trace);
    const LimitFinding& banks = find(limits, LimitKind::bank_conflicts);
    EXPECT_TRUE(banks.is_unclear);
    EXPECT_THAT(banks.evidence, HasSubstr("software device"));
}

TEST(RunLimits, UseTheTimeOfTheTracedLaunch) {
    Report run = make_run(1e6);
    run.timeline = {{.phase = Phase::kernel, .label = "first", .duration_ns = 100, .step = 0},
                    {.phase = Phase::kernel, .label = "second", .duration_ns = 300, .step = 1}};
    TraceBuilder trace = make_trace();
    trace.trace().launches = 2;
    trace.trace().launch = "first";
    trace.trace().kernel = "mine.comp";
    access(trace, trace::test::bound(SiteKind::load, 9),
           [](std::int64_t lane) { return lane == 0 ? 0 : -1; });
    const RunLimits limits = limits_of(run, trace);
    EXPECT_NEAR(find(limits, LimitKind::divergence).max_speedup, 1 / (1 - 0.25 * 31 / 32), 1e-9);
    EXPECT_THAT(limits.traced_launch, AllOf(HasSubstr("mine.comp"), HasSubstr("launch 1 of 2")));
}

TEST(RunLimits, CountALaunchAsOftenAsItIsRepeated) {
    TraceBuilder trace = make_trace();
    trace.trace().launch = "step";
    access(trace, trace::test::bound(SiteKind::load, 9), [](std::int64_t lane) { return 32 * lane; });
    Report run = make_run(40e6);
    EXPECT_LT(find(limits_of(run, trace), LimitKind::sectors).max_speedup, min_speedup);
    for (std::uint64_t step = 0; step < 30; ++step)
        run.timeline.push_back({.phase = Phase::kernel, .label = "step", .duration_ns = 1, .step = step});
    EXPECT_GT(find(limits_of(run, trace), LimitKind::sectors).max_speedup, 4);
}

TEST(RunLimits, EstimateTheCountsOfRecordsThatDidNotFit) {
    TraceBuilder trace = make_trace();
    access(trace, trace::test::bound(SiteKind::load, 9), [](std::int64_t lane) { return 32 * lane; });
    EXPECT_LT(find(limits_of(make_run(40e6), trace), LimitKind::sectors).max_speedup, min_speedup);
    trace.trace().lost = 29 * 32;  // 32 records fit
    const RunLimits limits = limits_of(make_run(40e6), trace);
    EXPECT_GT(find(limits, LimitKind::sectors).max_speedup, 4);
    EXPECT_THAT(limits.missing, AllOf(HasSubstr("928 records"), HasSubstr("estimated")));
}

/// A trace of one workgroup, and the placements of the first of 640 on 10 multiprocessors, each of which
/// holds eight at once.
TraceBuilder make_placed_trace(std::uint64_t placed_workgroups = 640) {
    TraceBuilder trace({32}, {640}, 32);
    trace.trace().last_workgroup = 0;
    for (std::uint32_t i = 0; i < placed_workgroups; ++i)
        trace.trace().placements.push_back({i % 10, i / 80 * 100, i / 80 * 100 + 100});
    return trace;
}

/// A run of these workgroups, on multiprocessors with room for 64 workgroups of a subgroup.
Report make_placed_run() {
    Report run = make_run(1e6);
    run.device.multiprocessors = 10;
    run.device.registers_per_multiprocessor = 65'536;
    run.launch.grid = {640};
    run.experiment.values.set("workgroup_count", std::uint64_t{0});
    return run;
}

TEST(RunLimits, CountResidentWorkgroupsOnlyIfEnoughRanToFillTheDevice) {
    const LimitFinding all = find(limits_of(make_placed_run(), make_placed_trace()), LimitKind::residence);
    EXPECT_TRUE(all.is_unclear);
    EXPECT_EQ(all.max_speedup, 8);
    EXPECT_EQ(all.experiment, "workgroup_count");
    EXPECT_THAT(all.evidence, Not(HasSubstr("Placements")));
    const LimitFinding some =
        find(limits_of(make_placed_run(), make_placed_trace(639)), LimitKind::residence);
    EXPECT_EQ(some.max_speedup, 1) << "the other workgroups may have run at the same time";
    EXPECT_THAT(some.evidence, HasSubstr("first 639 of 640 workgroups"));
}

TEST(RunLimits, DistinguishWorkgroupMemoryFromShortWorkgroupsByASweep) {
    Report run = make_placed_run();
    run.launch.shared_bytes = 16'384;
    TraceBuilder trace = make_placed_trace();
    trace.trace().registers = 32;  // leave room for 64
    const LimitFinding both = find(limits_of(run, trace), LimitKind::residence);
    ASSERT_THAT(both.explanations, SizeIs(2));
    EXPECT_THAT(both.explanations[0].cause, AllOf(HasSubstr("Workgroup memory"), HasSubstr("16")));
    EXPECT_THAT(both.explanations[0].cause, Not(HasSubstr("registers")));
    EXPECT_NE(both.explanations[0].sweep_result, both.explanations[1].sweep_result);
    run.launch.shared_bytes = 0;
    const LimitFinding one = find(limits_of(run, trace), LimitKind::residence);
    EXPECT_THAT(one.explanations, IsEmpty());
    EXPECT_THAT(one.evidence, HasSubstr("end before"));
    trace.trace().registers = 0;  // unknown
    EXPECT_THAT(find(limits_of(run, trace), LimitKind::residence).explanations[0].cause,
                HasSubstr("registers of the instrumented kernel"));
}

TEST(RunLimits, ClaimNothingIfTheInstrumentedKernelLimitsResidence) {
    TraceBuilder trace = make_placed_trace();
    trace.trace().registers = 255;  // leave room for eight subgroups
    const RunLimits limits = limits_of(make_placed_run(), trace);
    const LimitFinding& residence = find(limits, LimitKind::residence);
    EXPECT_EQ(residence.max_speedup, 1);
    EXPECT_FALSE(residence.is_unclear);
    EXPECT_THAT(residence.evidence, HasSubstr("255 registers"));
}

TEST(RunLimits, CountWavesOfTheWorkgroupsThatRanAtOnce) {
    Report run = make_placed_run();
    run.launch.shared_bytes = 16'384;
    run.launch.grid = {88};
    TraceBuilder trace = make_placed_trace();
    trace.trace().registers = 32;
    const LimitFinding measured = find(limits_of(run, trace), LimitKind::last_wave);
    EXPECT_EQ(measured.origin, Origin::measured);
    EXPECT_NEAR(measured.max_speedup, 2 / 1.1, 1e-9);  // of 80 at once
    EXPECT_TRUE(measured.is_unclear);
    EXPECT_THAT(measured.explanations, SizeIs(2));
    EXPECT_EQ(measured.experiment, "workgroup_count");
    trace.trace().registers = 255;
    EXPECT_THROW(find(limits_of(run, trace), LimitKind::last_wave), std::runtime_error)
        << "640 workgroups of the kernel itself fit at once";
}

TEST(RunLimits, SayThatMoreWorkgroupsAreCountedThanFit) {
    Report run = make_placed_run();
    run.launch.grid = {88};
    run.launch.registers = 255;  // leave room for eight workgroups
    TraceBuilder trace = make_placed_trace();
    EXPECT_THAT(find(limits_of(run, trace), LimitKind::residence).evidence,
                Not(HasSubstr("More are counted")));
    for (auto& placement : trace.trace().placements)
        placement.end_time += 50;
    const RunLimits limits = limits_of(run, trace);
    EXPECT_THAT(
        find(limits, LimitKind::residence).evidence,
        AllOf(HasSubstr("up to 16 workgroups"), HasSubstr("room for 8"), HasSubstr("More are counted")));
    EXPECT_NEAR(find(limits, LimitKind::last_wave).max_speedup, 2 / 1.1, 1e-9);  // of 80 at once
}

TEST(RunLimits, ComputeBothIntensities) {
    Report run = make_run(1e6);
    run.operations = 40'000'000;
    TraceBuilder trace = make_trace();
    access(trace, trace::test::bound(SiteKind::load, 9), [](std::int64_t lane) { return 4 * lane; });
    const RunLimits limits = limits_of(run, trace);
    EXPECT_DOUBLE_EQ(limits.min_bytes_intensity.value(), 4000);
    EXPECT_DOUBLE_EQ(limits.accessed_intensity.value(), 40.0 / 128);
}

TEST(RunLimits, ClaimNothingForAnUnmeasuredRun) {
    Report run = make_run(1e6);
    run.timings.kernel.samples.clear();
    EXPECT_TRUE(find_run_limits(run, nullptr).findings.empty());
    EXPECT_FALSE(find_run_limits(run, nullptr).missing.empty());
    run = make_run(1e6);
    run.ceilings.reset();
    EXPECT_TRUE(find_run_limits(run, nullptr).findings.empty());
}

TEST(RunLimits, TakeCeilingsFromTheTraceAndClaimNothingWithoutThem) {
    TraceBuilder trace = make_trace();
    access(trace, trace::test::shared(SiteKind::load, 5, 4096), [](std::int64_t lane) { return 128 * lane; });
    Report run = make_run(420'000);
    auto report = std::make_shared<Report>(run);
    report->trace = trace.build();
    const AnalyzedTrace analysis{.report = report, .records = trace.records(), .findings = trace.findings()};
    run.ceilings->workgroup_memory_bytes_per_second = 0;
    expect_first(find_run_limits(run, &analysis), LimitKind::bank_conflicts, 16, 32);
    report->ceilings.reset();
    const RunLimits limits = find_run_limits(run, &analysis);
    EXPECT_THAT(limits.unmeasured_titles, Not(IsEmpty()));
    EXPECT_THAT(limits.missing, HasSubstr("Bank conflicts"));
    EXPECT_THROW(find(limits, LimitKind::bank_conflicts), std::runtime_error);
}

TEST(RunLimits, TraceTheLongestLaunch) {
    Plan plan;
    plan.steps = {Dispatch{}, Fill{}, Dispatch{}};
    Report run;
    run.timeline = {{.phase = Phase::kernel, .duration_ns = 5, .step = 0},
                    {.phase = Phase::kernel, .duration_ns = 50, .step = 1},
                    {.phase = Phase::kernel, .duration_ns = 4, .step = 2},
                    {.phase = Phase::kernel, .duration_ns = 4, .step = 2}};
    EXPECT_EQ(find_longest_launch(run, plan), 1U);
    run.timeline.clear();
    EXPECT_EQ(find_longest_launch(run, plan), 0U);
}

}  // namespace gridstride::run_limits_test

// Tests what an instrumented kernel records of its branches on this device, with ballots and lane by lane.
#include "gpu/instrumented.h"
#include "test_includes.h"
#include "trace/branches.h"

namespace gridstride::gpu::instrumented_branches_test {

using trace::BranchExecution;
using trace::Lanes;

const std::string head =
    "layout(local_size_x_id = 0) in;\n"
    "layout(set = 0, binding = 0) buffer Data { uint data[]; };\n";

class InstrumentedBranches : public InstrumentedKernelTest, public ::testing::WithParamInterface<bool> {
 protected:
    void SetUp() override {
        InstrumentedKernelTest::SetUp();
        if (GetParam() && !robust->limits().subgroup_ballot) GTEST_SKIP() << "this device has no ballots";
    }
    static std::uint32_t width() { return robust->limits().subgroup_size; }
    /// Runs a kernel of one workgroup with this main; `i` is the invocation.
    static Ran run_main(const std::string& body, std::uint32_t subgroups = 1, std::uint32_t capacity = 2000) {
        const Launch launch{.source = head + "void main() { uint i = gl_LocalInvocationIndex, sum = 0u;\n" +
                                      body + "\n    data[i] = sum; }\n",
                            .buffers = {Words(64 * width())},
                            .workgroup = subgroups * width(),
                            .ballots = GetParam(),
                            .branches = true,
                            .branch_capacity = capacity};
        Ran ran = run(launch);
        EXPECT_EQ(ran.buffers, run_uninstrumented(launch)) << "instrumentation changes no result";
        return ran;
    }
    static std::vector<BranchExecution> executions(const Ran& ran, std::uint32_t subgroups = 1) {
        trace::Trace trace;
        trace.workgroup = {subgroups * width()};
        trace.grid = {1};
        trace.subgroup_size = width();
        trace.ballots = GetParam();
        trace.sites = ran.sites;
        trace.branch_words = share(std::span<const std::uint32_t>(ran.branch_records));
        return trace::decode_branches(trace);
    }
    /// Returns the lanes of a subgroup with a property.
    static Lanes lanes(auto has) {
        Lanes all;
        for (std::uint32_t i = 0; i < width(); ++i)
            all[i] = has(i);
        return all;
    }
    static Lanes every() {
        return lanes([](std::uint32_t) { return true; });
    }
};
INSTANTIATE_TEST_SUITE_P(, InstrumentedBranches, ::testing::Bool(),
                         [](const auto& value) { return value.param ? "Ballots" : "LaneByLane"; });

TEST_P(InstrumentedBranches, IfByParityTakesHalfOfTheLanes) {
    const auto all = executions(run_main("    if (i % 2u == 0u) sum += 3u * i; else sum += i;"));
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0].active, every());
    EXPECT_EQ(all[0].taken, lanes([](std::uint32_t i) { return i % 2 == 0; }));
    EXPECT_EQ(all[0].execution, 0U);
}

TEST_P(InstrumentedBranches, IfBySubgroupTakesAllLanesOrNone) {
    const auto all = executions(
        run_main(fmt::format("    if (i / {}u % 2u == 0u) sum += 3u * i; else sum += i;", width()), 4), 4);
    ASSERT_THAT(all, SizeIs(4));
    for (const BranchExecution& one : all) {
        EXPECT_EQ(one.active, every());
        EXPECT_EQ(one.taken, one.subgroup % 2 == 0 ? every() : Lanes());
    }
}

TEST_P(InstrumentedBranches, ActiveLanesOfALoopDecrease) {
    const auto all = executions(run_main("    for (uint k = 0u; k < i; ++k) sum += k;"));
    // Lane i leaves at the test with k = i.
    ASSERT_THAT(all, SizeIs(width()));
    for (std::uint32_t k = 0; k < width(); ++k) {
        EXPECT_EQ(all[k].execution, k);
        EXPECT_EQ(all[k].active, lanes([&](std::uint32_t i) { return i >= k; }));
        EXPECT_EQ(all[k].taken, lanes([&](std::uint32_t i) { return i > k; }));
    }
}

TEST_P(InstrumentedBranches, NestedBranchHasTheLanesOfTheOuterOne) {
    const auto all = executions(run_main("    if (i > 1u) { sum = 1u;\n        if (i > 2u) sum = i; }"));
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(all[1].active, all[0].taken);
    EXPECT_EQ(all[1].taken, lanes([](std::uint32_t i) { return i > 2; }));
}

TEST_P(InstrumentedBranches, ReturnedLanesAreNotActive) {
    const auto all = executions(run_main("    if (i < 2u) return;\n    if (i < 3u) sum = 7u;"));
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(all[1].active, lanes([](std::uint32_t i) { return i >= 2; }));
    EXPECT_EQ(all[1].taken, lanes([](std::uint32_t i) { return i == 2; }));
}

TEST_P(InstrumentedBranches, SwitchCasesHaveTheirLanes) {
    const Ran ran = run_main(
        "    switch (i % 4u) { case 0u: sum = 5u; break; case 1u: case 2u: sum = i; break; default: sum = "
        "9u; }");
    std::map<std::string, Lanes> taken_lanes;
    for (const BranchExecution& one : executions(ran))
        taken_lanes[ran.sites[one.site].variable] = one.taken;
    EXPECT_THAT(taken_lanes, SizeIs(3));
    EXPECT_EQ(taken_lanes["case 0"], lanes([](std::uint32_t i) { return i % 4 == 0; }));
    EXPECT_EQ(taken_lanes["case 1, 2"], lanes([](std::uint32_t i) { return i % 4 == 1 || i % 4 == 2; }));
    EXPECT_EQ(taken_lanes["default"], lanes([](std::uint32_t i) { return i % 4 == 3; }));
}

TEST_P(InstrumentedBranches, FunctionBranchCountsEachCall) {
    const Launch launch{.source = head +
                                  "uint half_of(uint i) { if (i % 2u == 1u) return i * 3u; return i / 2u; }\n"
                                  "void main() { uint i = gl_LocalInvocationIndex;\n"
                                  "    data[i] = half_of(i) + half_of(i + 1u); }\n",
                        .buffers = {Words(width())},
                        .workgroup = width(),
                        .ballots = GetParam(),
                        .branches = true};
    const auto all = executions(run(launch));
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(all[1].site, all[0].site);
    EXPECT_EQ(all[0].taken, ~all[1].taken & every());
}

TEST_P(InstrumentedBranches, BranchesCountEarlierAccessRecords) {
    const auto all =
        executions(run_main("    data[0] = i;\n    if (i > 1u) { data[1] = i; data[2] = i; }\n"
                            "    if (i > 2u) sum = i;"));
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(all[0].earlier_records, width());
    EXPECT_EQ(all[1].earlier_records, width() + 2 * (width() - 2));
}

TEST_P(InstrumentedBranches, CountsLostRecords) {
    const Ran ran = run_main("    for (uint k = 0u; k < 10u; ++k) sum += data[k];", 2, 3);
    const std::uint32_t records = (GetParam() ? 2 : 2 * width()) * 11;
    EXPECT_EQ(ran.branch_records.size(), 3 * trace::words::branch_record_length(width()));
    EXPECT_EQ(ran.branch_head[trace::words::branch_lost], records - 3);
    EXPECT_EQ(ran.head[trace::words::lost], 0U) << "accesses keep their space";
    EXPECT_EQ(ran.accesses.size(), 2 * width() * 11);
}

}  // namespace gridstride::gpu::instrumented_branches_test

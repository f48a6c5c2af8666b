#include "trace/findings.h"

#include "test_includes.h"
#include "trace/barriers.h"
#include "trace/coverage.h"
#include "trace/trace_builder.h"

namespace gridstride::trace::findings_test {

using namespace test;
using testing::EndsWith;

Finding only(const TraceBuilder& builder, FindingKind kind) {
    const std::vector<Finding> found = builder.findings(kind);
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? Finding{} : found[0];
}

// --- Accesses out of bounds

TEST(OutOfBounds, FollowsFromFlagsAndOffsets) {
    struct Case {
        Site site;
        std::uint64_t offset;
        std::uint32_t flags;
        std::string sentence;  ///< empty if in bounds
    };
    Site row = shared(SiteKind::load, 5, 32 * 33);
    row.variable = "tile";
    row.element_bytes = 4 * 33;
    Site total = shared(SiteKind::store, 6, 1);
    total.element_bytes = 0;
    Site endless = shared(SiteKind::load, 7);
    endless.variable_bytes = 0;
    Site numbers = bound(SiteKind::load, 8);
    Site quads = vector(numbers, 4);
    const std::vector<Case> cases = {
        {shared(SiteKind::load, 4, 128), 508, 0, ""},
        {shared(SiteKind::load, 4, 128), 512, 1,
         "Line 4 reads sums[128], which is out of bounds: sums has 128 elements. 1 access, first by "
         "invocation 2 "
         "of "
         "workgroup 1."},
        {shared(SiteKind::store, 4, 128), 512, 0,
         "Line 4 writes sums[128], which is out of bounds: sums has 128 el"},
        {shared(SiteKind::load, 4, 128), 0xFFFFFFFC, 1,
         "Line 4 reads sums[-1], which is out of bounds: sums has 128 el"},
        {shared(SiteKind::load, 4, 128), 0, 1,
         "Line 4 reads sums[0], which is out of bounds: its first index is out of bounds, and this is the "
         "resulting address"},
        {row, 4 * 33, 2,
         "Line 5 reads tile[1][0], which is out of bounds: its second index is out of bounds"},
        {row, 4 * 33, 0, ""},
        {total, 0, 0, ""},
        {endless, 1 << 20, 0, ""},
        {endless, 1 << 20, 1,
         "Line 7 reads sums[262144], which is out of bounds: the buffer or variable ends before it"},
        {numbers, 4 * 1000, 0, ""},
        {numbers, 4 * 1001, 0, ""},
        {numbers, 4 * 1002, 1,
         "Line 8 reads numbers[1002], which is out of bounds: numbers has 1\u2009002 elements"},
        {numbers, 4 * 1004, 0, "Line 8 reads numbers[1004], which is out of bounds"},
        {quads, 4 * 1000, 0, ""},  // the range is bound up to the next 16 bytes
        {quads, 4 * 1004, 0, "Line 8 reads numbers[251], which is out of bounds: numbers has 250 elements"},
    };
    for (const Case& one : cases) {
        TraceBuilder builder({8}, {2});
        builder.trace().buffers[0].elements = 1002;
        const auto site = builder.add(one.site);
        builder.at(1, 2, site, one.offset, {}, one.flags);
        const Finding finding = only(builder, FindingKind::out_of_bounds);
        if (one.sentence.empty()) {
            EXPECT_EQ(finding.status, FindingStatus::ok) << finding.sentence;
            EXPECT_THAT(finding.sentence, Mentions("bounds"));
        } else {
            EXPECT_EQ(finding.status, FindingStatus::problem);
            EXPECT_THAT(finding.sentence, StartsWith(one.sentence));
            EXPECT_EQ(finding.site, site);
            EXPECT_EQ(finding.first, 0U);
        }
    }
}

TEST(OutOfBounds, IsOneFindingPerSiteAndNotARace) {
    TraceBuilder builder({8}, {2});
    const auto load = builder.add(shared(SiteKind::load, 4, 8)),
               store = builder.add(shared(SiteKind::store, 5, 8));
    builder.each([&](std::uint32_t group, std::uint32_t i) {
        builder.at(group, i, load, 4 * (i + 4));
        builder.at(group, i, store, 4 * 8);
    });
    const auto found = builder.findings(FindingKind::out_of_bounds);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].count, 8U);
    EXPECT_THAT(found[0].sentence, HasSubstr("reads sums[8]"));
    EXPECT_THAT(found[0].sentence, EndsWith("8 accesses, first by invocation 4 of workgroup 0."));
    EXPECT_EQ(found[1].count, 16U);
    EXPECT_EQ(only(builder, FindingKind::race).status, FindingStatus::ok)
        << "the address of an out-of-bounds access is unspecified";
}

TEST(OutOfBounds, IsUnknownIfWorkgroupsWereNotTraced) {
    TraceBuilder builder({8}, {2});
    builder.add(shared(SiteKind::load, 4, 8));
    builder.trace().last_workgroup = 0;
    EXPECT_EQ(only(builder, FindingKind::out_of_bounds).status, FindingStatus::unknown);
    EXPECT_THAT(only(builder, FindingKind::out_of_bounds).sentence, Mentions(0, 2));
}

// --- Barriers

TEST(DivergentBarriers, AreNotReportedIfAllInvocationsReachTheBarrier) {
    TraceBuilder builder({8}, {3});
    EXPECT_TRUE(builder.findings(FindingKind::divergent_barrier).empty()) << "there is no barrier";
    const auto load = builder.add(bound(SiteKind::load, 2)), wait = builder.add(barrier(3));
    builder.each([&](std::uint32_t group, std::uint32_t i) {
        if (group == 1) return;  // a whole workgroup may return early
        if (i % 2 == 0) builder.at(group, i, load, 4 * i);
        for (int k = 0; k < 3; ++k)
            builder.at(group, i, wait);
    });
    const Finding finding = only(builder, FindingKind::divergent_barrier);
    EXPECT_EQ(finding.status, FindingStatus::ok);
    EXPECT_THAT(finding.sentence, Mentions("reach"));
}

TEST(DivergentBarriers, AreBarriersThatSomeInvocationsNeverReach) {
    TraceBuilder builder({8}, {2});
    const auto load = builder.add(bound(SiteKind::load, 2)), wait = builder.add(barrier(3));
    builder.each([&](std::uint32_t group, std::uint32_t i) {
        if (group == 1 && i == 6) return;  // has no record at all
        builder.at(group, i, load, 4 * i);
        builder.at(group, i, wait);
        if (group == 0 || i < 5) builder.at(group, i, wait);
    });
    const Finding finding = only(builder, FindingKind::divergent_barrier);
    EXPECT_EQ(finding.status, FindingStatus::problem);
    EXPECT_EQ(finding.site, wait);
    EXPECT_EQ(finding.other_site, std::nullopt);
    EXPECT_EQ(finding.count, 3U);
    EXPECT_THAT(finding.sentence, Mentions(1, 0, 3, 5, 3, 3));
    const auto records = builder.records();
    EXPECT_EQ(records[*finding.first].sequence, 2U);
    EXPECT_EQ(records[*finding.other].invocation, 5);

    builder.trace().lost = 1;
    EXPECT_EQ(only(builder, FindingKind::divergent_barrier).status, FindingStatus::unknown);
}

TEST(DivergentBarriers, AreBarriersInDifferentBranches) {
    TraceBuilder builder({8}, {1});
    const auto one = builder.add(barrier(3)), other = builder.add(barrier(5));
    const auto subgroup_barrier_site = builder.add(subgroup_barrier(6));
    builder.each([&](std::uint32_t group, std::uint32_t i) {
        if (i == 2) builder.at(group, i, subgroup_barrier_site);  // only invocation 2 gets there
        builder.at(group, i, i < 6 ? one : other);
    });
    const Finding finding = only(builder, FindingKind::divergent_barrier);
    EXPECT_EQ(finding.status, FindingStatus::problem);
    EXPECT_EQ(finding.site, one);
    EXPECT_EQ(finding.other_site, other);
    EXPECT_EQ(finding.count, 2U);
    EXPECT_THAT(finding.sentence, Mentions(0, 0, 3, 6, 5, 2));
}

// --- Coverage

TEST(Coverage, CountsReadsAndWritesPerElement) {
    TraceBuilder builder({8}, {4});
    builder.trace().buffers = {{"numbers", ElementType::u32, 32},
                               {"partial_sums", ElementType::u32, 4},
                               {"counts", ElementType::u32, 8},
                               {"unused", ElementType::u32, 8},
                               {"forgotten", ElementType::u32, 8}};
    const auto load = builder.add(bound(SiteKind::load, 1)),
               store = builder.add(bound(SiteKind::store, 2, 1));
    const auto atomic = builder.add(bound(SiteKind::atomic, 3, 2));
    builder.add(bound(SiteKind::store, 4, 4));
    builder.each([&](std::uint32_t group, std::uint32_t i) {
        builder.at(group, i, load, 4 * (8 * group + i));
        builder.at(group, i, atomic, 4 * (i % 6));
        if (i == 0) builder.at(group, i, store, 4 * group);
    });
    const auto found = builder.findings(FindingKind::coverage);
    ASSERT_EQ(found.size(), 4U) << "a buffer that the kernel does not use has no finding";
    EXPECT_THAT(found[0].sentence, Mentions(6, 8, 6, 2));
    EXPECT_EQ(found[0].status, FindingStatus::warning);
    EXPECT_EQ(found[1].sentence, "forgotten: no element was accessed.");
    EXPECT_EQ(found[1].status, FindingStatus::warning);
    EXPECT_EQ(found[2].sentence, "numbers: 32 of 32 read once.");
    EXPECT_EQ(found[2].status, FindingStatus::ok);
    EXPECT_EQ(found[2].count, 32U);
    EXPECT_EQ(found[3].sentence, "partial_sums: 4 of 4 written once.");

    const Trace trace = builder.build();
    const auto coverage = *compute_coverage(trace, decode_records(trace));
    ASSERT_EQ(coverage.size(), 4U);
    EXPECT_EQ(coverage[0].is_each_once(false), true);
    EXPECT_EQ(coverage[1].is_each_once(false), true);
    EXPECT_EQ(coverage[2].is_each_once(false), false);
    EXPECT_EQ(coverage[3].is_each_once(false), false) << "no element was accessed";
    EXPECT_EQ(coverage[3].untouched, 8U);
    EXPECT_EQ(coverage[0].is_each_once(true), std::nullopt)
        << "workgroups without records may also access it";
    EXPECT_EQ(coverage[2].is_each_once(true), false) << "an atomic never reads an element only once";
    EXPECT_EQ(found[2].value, 1) << "the same in the finding";
    EXPECT_EQ(found[0].value, 0);

    builder.trace().last_workgroup = 2;
    builder.words().resize(3 * builder.words().size() / 4);
    EXPECT_EQ(builder.findings(FindingKind::coverage)[0].status, FindingStatus::unknown);
    EXPECT_EQ(builder.findings(FindingKind::coverage)[0].sentence,
              "numbers: 24 of 32 read once, 8 never accessed; only workgroups 0 to 2 of 4 were traced.");
}

TEST(Coverage, FindsUnreadRepeatedAndOutOfBoundsElements) {
    TraceBuilder builder({8}, {1});
    builder.trace().buffers = {{"numbers", ElementType::u32, 16}};
    const auto load = builder.add(vector(bound(SiteKind::load, 1), 2));
    builder.at(0, 0, load, 0);
    builder.at(0, 1, load, 4);  // element 1 again
    builder.at(0, 2, load, 60, {}, 1);
    builder.at(0, 3, load, 48);
    const Finding finding = only(builder, FindingKind::coverage);
    EXPECT_THAT(finding.sentence, Mentions(5, 16, 1, 11, 1));
    EXPECT_EQ(finding.first, 0U);
    EXPECT_EQ(finding.other, 1U);
    EXPECT_EQ(finding.status, FindingStatus::warning);
    builder.trace().buffers[0].output = true;
    EXPECT_EQ(only(builder, FindingKind::coverage).status, FindingStatus::ok)
        << "outputs are compared with their reference instead";
}

TEST(Coverage, CountsElementsNotAccesses) {
    // A word holds two 16-bit samples and a quad holds four words. The last quad is half filled.
    TraceBuilder builder({8}, {1});
    builder.trace().buffers = {{"samples", ElementType::i16, 20}};
    const auto load = builder.add(vector(bound(SiteKind::load, 1), 4));
    for (std::uint32_t i = 0; i < 3; ++i)
        builder.at(0, i, load, 16 * i);
    EXPECT_EQ(only(builder, FindingKind::coverage).sentence, "samples: 20 of 20 read once.");
}

// --- Order of findings, and missing records

TEST(Findings, ListProblemsFirst) {
    TraceBuilder builder({8}, {1});
    const auto store = builder.add(shared(SiteKind::store, 4));
    builder.each([&](std::uint32_t group, std::uint32_t i) {
        builder.at(group, i, store, 0, {i});
        builder.at(group, i, store, 128 * i, {i});
    });
    std::vector<int> verdicts;
    for (const Finding& finding : builder.findings()) {
        constexpr std::array<int, 4> urgency = {3, 1, 0, 2};
        verdicts.push_back(urgency.at(static_cast<std::size_t>(finding.status)));
    }
    EXPECT_EQ(verdicts.front(), 0);
    EXPECT_EQ(verdicts.back(), 3);
    EXPECT_TRUE(std::ranges::is_sorted(verdicts));
}

TEST(Findings, AreEmptyForATraceThatCouldNotBeMade) {
    Trace trace;
    trace.reason = "The kernel uses an array of buffers.";
    EXPECT_TRUE(compute_findings(trace, decode_records(trace)).empty());
}

TEST(Findings, HaveStableNames) {
    EXPECT_EQ(name(FindingKind::race), "race");
    EXPECT_EQ(name(FindingKind::divergent_barrier), "divergent_barrier");
    EXPECT_EQ(name(FindingKind::atomics), "atomics");
    EXPECT_EQ(name(FindingStatus::ok), "ok");
    EXPECT_EQ(name(FindingStatus::unknown), "unknown");
    EXPECT_EQ(name(SiteKind::barrier), "barrier");
    EXPECT_EQ(name(MemorySpace::buffer), "buffer");
}

}  // namespace gridstride::trace::findings_test

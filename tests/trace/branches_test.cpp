// Tests how branch records are decoded, and what is computed from them, with records written by hand.
// tests/gpu/instrumented_branches_test.cpp tests what a device writes.
#include "trace/branches.h"

#include "trace/trace_builder.h"

namespace gridstride::trace::branches_test {

using test::bound;
using test::site_of;
using test::TraceBuilder;

Site branch(std::uint32_t line, bool counts_true = true, bool counts_false = false) {
    Site site = site_of(SiteKind::branch, MemorySpace::workgroup, "", line, ValueType::none);
    site.bytes = site.element_bytes = 0;
    site.counts_true = counts_true;
    site.counts_false = counts_false;
    return site;
}

/// A trace of two workgroups of eight lanes, with subgroups of four.
struct BranchTrace {
    explicit BranchTrace(bool ballots) {
        builder.trace().ballots = ballots;
        load = builder.add(bound(SiteKind::load, 3));
        builder.add(branch(5, true, true));
        builder.add(branch(3));
    }
    void record(std::uint32_t number, std::uint32_t workgroup, std::uint32_t invocation, std::uint32_t active,
                std::uint32_t taken_mask, std::uint32_t subgroup_epoch = 0) {
        const std::uint32_t invocation_word = invocation | invocation % 4 << 12 | invocation / 4 << 19;
        words.insert(words.end(),
                     {number, workgroup, invocation_word, 0, 0, subgroup_epoch, active, taken_mask});
    }
    Trace build() {
        Trace trace = builder.build();
        trace.last_branch_workgroup = trace.last_workgroup;
        trace.branch_words = share(std::span<const std::uint32_t>(words));
        return trace;
    }
    std::vector<Finding> activity() {
        const Trace trace = build();
        std::vector<Finding> all = compute_findings(trace, decode_records(trace));
        std::erase_if(all, [](const Finding& one) { return one.kind != FindingKind::activity; });
        std::ranges::sort(all, {}, &Finding::site);
        return all;
    }
    TraceBuilder builder{{8}, {2}};
    std::uint32_t load = 0;
    std::vector<std::uint32_t> words;
};

TEST(Branches, DecodeEachBallotAsOneExecution) {
    BranchTrace trace(true);
    trace.record(0, 1, 4, 0b1111, 0b0101);
    trace.record(0, 0, 0, 0b1110, 0b0010);
    trace.record(0, 1, 4, 0b1000, 0b1111);
    const std::vector<BranchExecution> all = decode_branches(trace.build());
    ASSERT_THAT(all, SizeIs(3));
    EXPECT_EQ(all[0].workgroup, 0U);
    EXPECT_EQ(all[0].active, Lanes(0b1110));
    EXPECT_EQ(all[1].subgroup, 1U);
    EXPECT_EQ(all[1].site, 1U);
    EXPECT_EQ(all[1].taken, Lanes(0b0101));
    EXPECT_EQ(all[2].execution, 1U);
    EXPECT_EQ(all[2].taken, Lanes(0b1000)) << "only active lanes";
}

TEST(Branches, DecodeTheExtraWordsOfWideSubgroups) {
    BranchTrace trace(true);
    trace.builder.trace().subgroup_size = 64;
    trace.words = {0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 2, 0, 0, 0, 0};
    const std::vector<BranchExecution> all = decode_branches(trace.build());
    ASSERT_THAT(all, SizeIs(1));
    EXPECT_EQ(all[0].active, Lanes((1ULL << 33) | 1));
    EXPECT_EQ(all[0].taken, Lanes(1ULL << 33));
}

TEST(Branches, GroupLanesWithEqualCountsIntoOneExecution) {
    BranchTrace trace(false);
    trace.record(0, 0, 0, 0, 1);
    trace.record(0, 0, 0, 0, 0);
    trace.record(0, 0, 2, 0, 1);
    trace.record(0, 0, 2, 0, 1, 1);  // after a barrier, counting starts again
    trace.record(0, 0, 0, 0, 0, 1);
    trace.record(0, 0, 4, 0, 1);  // another subgroup
    const std::vector<BranchExecution> all = decode_branches(trace.build());
    ASSERT_THAT(all, SizeIs(4));
    EXPECT_EQ(all[0].active, Lanes(0b101));
    EXPECT_EQ(all[0].taken, Lanes(0b101));
    EXPECT_EQ(all[1].active, Lanes(0b001));
    EXPECT_EQ(all[2].active, Lanes(0b101));
    EXPECT_EQ(all[2].taken, Lanes(0b100));
    EXPECT_EQ(all[3].subgroup, 1U);
}

TEST(Branches, ActivityCountsEachPathOfABranch) {
    BranchTrace trace(true);
    trace.record(0, 0, 0, 0b1111, 0b0001);  // one lane and three
    trace.record(0, 0, 4, 0b1111, 0b1111);  // four, and nobody the other way
    trace.record(1, 0, 0, 0b1111, 0b0011);  // two; the others run what all run
    const std::vector<Finding> all = trace.activity();
    ASSERT_THAT(all, SizeIs(2));
    EXPECT_EQ(all[0].count, 3U);
    EXPECT_DOUBLE_EQ(all[0].value.value(), 8.0 / 3);
    EXPECT_EQ(all[0].first, std::nullopt);
    EXPECT_EQ(all[1].count, 1U);
    EXPECT_DOUBLE_EQ(all[1].value.value(), 2);
}

TEST(Branches, RefuseDamagedRecords) {
    for (const auto& [number, workgroup, invocation] :
         std::initializer_list<std::array<std::uint32_t, 3>>{{2, 0, 0}, {0, 2, 0}, {0, 0, 8}}) {
        BranchTrace trace(true);
        trace.record(number, workgroup, invocation, 1, 1);
        EXPECT_THROW(decode_branches(trace.build()), std::runtime_error);
    }
    BranchTrace cut(true);
    cut.record(0, 0, 0, 1, 1);
    cut.words.pop_back();
    EXPECT_THROW(decode_branches(cut.build()), std::runtime_error);
    BranchTrace confused(true);
    confused.builder.at(0, 0, 1);
    EXPECT_THROW(decode_records(confused.build()), std::runtime_error)
        << "an access record with a branch site";
}

}  // namespace gridstride::trace::branches_test

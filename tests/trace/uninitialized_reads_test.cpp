// Tests which reads are found to be uninitialized.
#include "trace/uninitialized_reads.h"

#include "trace/trace_builder.h"

namespace gridstride::trace::unwritten_test {

using test::barrier;
using test::bound;
using test::shared;
using test::TraceBuilder;

/// The site of a launch of one workgroup of four and of two, and an access to element 0 of each.
struct Launch {
    explicit Launch(std::uint64_t workgroups = 1) : builder({4}, {workgroups}) {}

    std::map<std::uint32_t, std::uint64_t> reads_by_line() {
        std::map<std::uint32_t, std::uint64_t> reads;
        const Trace trace = builder.build();
        const std::vector<Record> records = decode_records(trace);
        const std::optional<std::vector<UninitializedReads>> all = find_uninitialized_reads(trace, records);
        for (const UninitializedReads& found : *all)
            reads[trace.sites[found.site].line] = found.reads;
        return reads;
    }

    TraceBuilder builder;
    std::uint32_t store = builder.add(shared(SiteKind::store, 10)), wait = builder.add(barrier(11)),
                  load = builder.add(shared(SiteKind::load, 12)),
                  add = builder.add(shared(SiteKind::atomic, 13)),
                  load_output = builder.add(bound(SiteKind::load, 14)),
                  store_output = builder.add(bound(SiteKind::store, 15));
};

using Reads = std::map<std::uint32_t, std::uint64_t>;

TEST(UninitializedReads, AreThoseWithoutAStoreBefore) {
    Launch launch;
    launch.builder.at(0, 0, launch.store, 0);
    launch.builder.at(0, 0, launch.load, 0);
    launch.builder.at(0, 1, launch.load, 4);
    launch.builder.at(0, 1, launch.load, 4);
    launch.builder.at(0, 2, launch.load, 8);
    launch.builder.at(0, 2, launch.store, 8);
    EXPECT_EQ(launch.reads_by_line(), (Reads{{12, 3}}))
        << "twice without a store, and once before that of the same invocation";
}

TEST(UninitializedReads, AreOrderedByBarriers) {
    Launch launch;
    for (std::uint32_t invocation = 0; invocation < 4; ++invocation) {
        launch.builder.at(0, invocation, launch.load, 4 * invocation);
        launch.builder.at(0, invocation, launch.wait);
        launch.builder.at(0, invocation, launch.store, 4 * invocation);
        launch.builder.at(0, invocation, launch.wait);
        launch.builder.at(0, invocation, launch.load, 4 * (3 - invocation));
    }
    EXPECT_EQ(launch.reads_by_line(), (Reads{{12, 4}})) << "the loads before the first barrier";
}

TEST(UninitializedReads, AreNoRaces) {
    Launch launch;
    launch.builder.at(0, 0, launch.load, 0);
    launch.builder.at(0, 1, launch.store, 0);
    EXPECT_THAT(launch.reads_by_line(), IsEmpty()) << "the store may come first";
}

TEST(UninitializedReads, AreOfEachWorkgroup) {
    Launch launch(2);
    launch.builder.at(0, 0, launch.store, 0);
    launch.builder.at(0, 0, launch.load, 0);
    launch.builder.at(1, 0, launch.load, 0);
    EXPECT_EQ(launch.reads_by_line(), (Reads{{12, 1}})) << "each workgroup has its own memory";
}

TEST(UninitializedReads, IncludeAtomics) {
    Launch launch;
    launch.builder.at(0, 0, launch.add, 0);
    launch.builder.at(0, 1, launch.add, 0);
    launch.builder.at(0, 1, launch.wait);
    launch.builder.at(0, 1, launch.load, 0);
    EXPECT_EQ(launch.reads_by_line(), (Reads{{13, 2}})) << "the sum was never initialized";
    launch.builder.at(0, 2, launch.store, 0);
    EXPECT_THAT(launch.reads_by_line(), IsEmpty());
}

TEST(UninitializedReads, AreOfBuffersThatOnlyThisLaunchWrites) {
    for (const bool starts_unwritten : {false, true}) {
        Launch launch(2);
        launch.builder.trace().buffers[0].starts_unwritten = starts_unwritten;
        launch.builder.at(0, 0, launch.store_output, 0);
        launch.builder.at(1, 0, launch.load_output, 0);
        launch.builder.at(1, 1, launch.load_output, 4);
        EXPECT_EQ(launch.reads_by_line(), starts_unwritten ? (Reads{{14, 1}}) : Reads())
            << "another workgroup may have stored element 0";
    }
}

TEST(UninitializedReads, AreFindings) {
    Launch launch;
    launch.builder.at(0, 3, launch.load, 20);
    const Trace trace = launch.builder.build();
    const std::vector<Record> records = decode_records(trace);
    const std::vector<Finding> findings = compute_findings(trace, records);
    const auto found = std::ranges::find(findings, FindingKind::unwritten, &Finding::kind);
    ASSERT_NE(found, findings.end());
    EXPECT_EQ(found->status, FindingStatus::problem);
    EXPECT_EQ(found->count, 1U);
    EXPECT_THAT(found->sentence, HasSubstr("reads sums[5], which is uninitialized"));
}

}  // namespace gridstride::trace::unwritten_test

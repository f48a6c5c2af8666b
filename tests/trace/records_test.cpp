#include "test_includes.h"
#include "trace/trace_builder.h"
#include "trace/trace_text.h"

namespace gridstride::trace::records_test {

using namespace test;

std::string refused(const Trace& trace) {
    return message_of<std::runtime_error>([&] { decode_records(trace); });
}

TEST(Records, AreSortedByWorkgroupInvocationAndSequence) {
    TraceBuilder builder({8}, {2});
    const auto store = builder.add(shared(SiteKind::store, 3));
    const auto wait = builder.add(barrier(4));
    for (const std::uint32_t workgroup : {1U, 0U})
        for (const std::uint32_t invocation : {5U, 0U, 7U})
            builder.at(workgroup, invocation, store, 12, {9});
    for (const std::uint32_t invocation : {7U, 0U}) {
        builder.at(1, invocation, wait);
        builder.at(1, invocation, store, 16, {10});
    }
    const auto records = builder.records();
    ASSERT_EQ(records.size(), 10U);
    std::vector<std::vector<std::uint32_t>> records_by_workgroup;
    for (const Record& r : records)
        records_by_workgroup.push_back(
            {r.workgroup, r.invocation, r.sequence, r.site, r.epoch, r.subgroup, r.lane});
    EXPECT_EQ(records_by_workgroup, (std::vector<std::vector<std::uint32_t>>{{0, 0, 0, store, 0, 0, 0},
                                                                             {0, 5, 0, store, 0, 1, 1},
                                                                             {0, 7, 0, store, 0, 1, 3},
                                                                             {1, 0, 0, store, 0, 0, 0},
                                                                             {1, 0, 1, wait, 0, 0, 0},
                                                                             {1, 0, 2, store, 1, 0, 0},
                                                                             {1, 5, 0, store, 0, 1, 1},
                                                                             {1, 7, 0, store, 0, 1, 3},
                                                                             {1, 7, 1, wait, 0, 1, 3},
                                                                             {1, 7, 2, store, 1, 1, 3}}));
    EXPECT_EQ(records[5].value[0], 10U);
    EXPECT_EQ(records[5].offset, 16U);
}

TEST(Records, SlicesAreJoinedInLaunchOrder) {
    TraceBuilder builder({4}, {2});
    const auto load = builder.add(bound(SiteKind::load, 3));
    const auto total = builder.add(bound(SiteKind::store, 5, 1));
    const auto wait = builder.add(barrier(4));
    builder.trace().buffers[0].is_sliced = true;
    builder.trace().buffers[0].slice_bytes = 4;
    builder.next_slice(256);  // recorded first, but later in the launch
    builder.at(0, 1, load, 8);
    builder.at(0, 1, wait);
    builder.at(0, 1, total, 8);
    builder.next_slice(0);
    builder.at(0, 1, load, 8);
    builder.at(0, 1, wait);
    builder.at(1, 0, load, 8);
    builder.at(1, 0, wait);
    builder.at(1, 0, wait);
    builder.at(1, 0, load, 12);
    const auto records = builder.records();
    ASSERT_EQ(records.size(), 9U);
    for (std::uint32_t i = 0; i < 5; ++i)
        EXPECT_EQ(records[i].sequence, i);
    EXPECT_EQ(records[2].dispatch, 1U);
    EXPECT_EQ(records[2].offset, 256 * 4 + 8U);
    EXPECT_EQ(records[4].offset, 8U) << "that buffer is not sliced";
    // Workgroup 1 reached epoch 2 in the first slice, so the second slice begins at epoch 3 for all.
    EXPECT_EQ(records[1].epoch, 0U);
    EXPECT_EQ(records[2].epoch, 3U);
    EXPECT_EQ(records[4].epoch, 4U);
    EXPECT_EQ(records[4].subgroup_epoch, 4U);
}

TEST(Records, DamagedWordsAreRefusedWithAMessage) {
    TraceBuilder builder({4}, {2});
    const auto load = builder.add(bound(SiteKind::load, 3));
    builder.at(1, 2, load, 8, {5});
    ASSERT_EQ(builder.records().size(), 1U);
    const auto with = [&](std::size_t place, std::uint32_t word) {
        std::vector<std::uint32_t> words = builder.words();
        words.at(place) = word;
        return refused(builder.build(words));
    };
    EXPECT_THAT(with(words::site, 1), Mentions(1, 1, "place"));
    EXPECT_THAT(with(words::workgroup, 2), HasSubstr("workgroup 2; 0 to 1 were traced"));
    EXPECT_THAT(with(words::invocation, 4), Mentions(4, 4, "invocation"));
    EXPECT_THAT(with(words::invocation, 5U << 12), Mentions(5, 4));
    EXPECT_THAT(with(words::sequence, 1), Mentions(1, 0));
    EXPECT_THAT(with(words::subgroup_epoch, 1), Mentions("barriers"));

    Trace trace = builder.build();
    const auto head = [&](std::size_t place, std::uint32_t word) {
        const auto words = trace.words->as<std::uint32_t>();
        std::vector<std::uint32_t> changed(words.begin(), words.end());
        changed.at(place) = word;
        Trace other = trace;
        other.words = share(std::span<const std::uint32_t>(changed));
        return refused(other);
    };
    EXPECT_EQ(head(words::used, 0), "(nothing was thrown)");
    EXPECT_EQ(head(words::used, 2), "(nothing was thrown)") << "one record did not fit";
    trace.words = [&] {
        const auto words = trace.words->as<std::uint32_t>();
        std::vector<std::uint32_t> cut(words.begin(), words.end() - 1);
        return share(std::span<const std::uint32_t>(cut));
    }();
    EXPECT_THAT(refused(trace), Mentions(1, 0));
    EXPECT_THAT(head(words::counting, 1), HasSubstr("counts"));
    trace.words = nullptr;
    EXPECT_THAT(refused(trace), HasSubstr("no words"));
    trace.reason = "It could not be made.";
    EXPECT_TRUE(decode_records(trace).empty());
}

TEST(Records, GapsAreRefusedUnlessRecordsWereLost) {
    TraceBuilder builder({4}, {1});
    const auto load = builder.add(bound(SiteKind::load, 3));
    builder.at(0, 2, load, 8, {5});
    builder.at(0, 2, load, 12, {6});
    const std::vector<std::uint32_t> last(builder.words().begin() + words::length, builder.words().end());
    EXPECT_THAT(refused(builder.build(last)), Mentions(1, 0));
    builder.trace().lost = 1;
    EXPECT_EQ(decode_records(builder.build(last)).size(), 1U);
    std::vector<std::uint32_t> twice = last;
    twice.insert(twice.end(), last.begin(), last.end());
    EXPECT_THAT(refused(builder.build(twice)), Mentions(1, 2));
}

// The words hold accesses of all kinds, and some are damaged: the result is a refusal or findings, no crash.
TEST(Records, RandomDamageNeverCrashes) {
    TraceBuilder builder({8}, {3});
    const std::vector<std::uint32_t> sites = {builder.add(shared(SiteKind::load, 1)),
                                              builder.add(shared(SiteKind::store, 2)),
                                              builder.add(vector(bound(SiteKind::load, 3), 4)),
                                              builder.add(bound(SiteKind::atomic, 4, 1)),
                                              builder.add(barrier(5)),
                                              builder.add(subgroup_barrier(6))};
    builder.trace().buffers[0].is_sliced = true;
    builder.trace().buffers[0].slice_bytes = 4;
    builder.each([&](std::uint32_t workgroup, std::uint32_t i) {
        for (const std::uint32_t site : sites)
            builder.at(workgroup, i, site, 16 * i, {i, i});
    });
    std::mt19937 random(7);
    int refusals = 0;
    const int tries = sample_of(20'000, 3'000);
    for (int i = 0; i < tries; ++i) {
        Trace trace = builder.build();
        const auto words = trace.words->as<std::uint32_t>();
        std::vector<std::uint32_t> damaged(words.begin(), words.end());
        for (std::uint32_t changes = 1 + random() % 3; changes > 0; --changes) {
            std::uint32_t& word = damaged[random() % 2 ? random() % damaged.size() : random() % words::head];
            word = random() % 3 == 0 ? random() : word ^ 1U << random() % 32;
        }
        if (random() % 8 == 0) damaged.resize(random() % damaged.size());
        trace.words = share(std::span<const std::uint32_t>(damaged));
        if (random() % 4 == 0) trace.lost = random() % 3;
        try {
            const std::vector<Record> records = decode_records(trace);
            for (const Finding& finding : compute_findings(trace, records)) {
                EXPECT_FALSE(finding.sentence.empty());
                EXPECT_LT(finding.first.value_or(0), std::max<std::size_t>(records.size(), 1));
                EXPECT_LT(finding.other.value_or(0), std::max<std::size_t>(records.size(), 1));
            }
        } catch (const std::runtime_error& error) {
            ++refusals;
            EXPECT_THAT(error.what(), Mentions("trace"));
        }
    }
    EXPECT_GT(refusals, tries / 10);
    EXPECT_LT(refusals, tries);
}

TEST(ValueText, FormatsEveryValueType) {
    const auto text = [](ValueType type, std::uint32_t components, std::array<std::uint32_t, 4> words) {
        Site site = shared(SiteKind::load, 1);
        site.value = type;
        site.components = components;
        Record record;
        record.value = words;
        return value_text(site, record);
    };
    EXPECT_EQ(text(ValueType::u32, 1, {68}), "68");
    EXPECT_EQ(text(ValueType::i32, 2, {0xFFFFFFFF, 3}), "-1;3");
    EXPECT_EQ(text(ValueType::f32, 4, {0x3FC00000, 0, 0x80000000, 0x7F800000}), "1.5;0;-0;inf");
    EXPECT_EQ(text(ValueType::f16, 1, {0x3FC00000}), "1.5") << "widened";
    EXPECT_EQ(text(ValueType::boolean, 2, {1, 0}), "true;false");
    EXPECT_EQ(text(ValueType::i8, 1, {0xFFFFFFFE}), "-2");
    EXPECT_EQ(text(ValueType::u8, 1, {0xFE}), "254");
    EXPECT_EQ(text(ValueType::i16, 1, {0xFFFF8000}), "-32768");
    EXPECT_EQ(text(ValueType::u16, 1, {0x8000}), "32768");
    EXPECT_EQ(text(ValueType::u64, 1, {1, 1}), "4294967297");
    EXPECT_EQ(text(ValueType::i64, 2, {0xFFFFFFFF, 0xFFFFFFFF, 2, 0}), "-1;2");
    EXPECT_EQ(text(ValueType::f64, 1, {0, 0x3FF80000}), "1.5");
    EXPECT_EQ(text(ValueType::none, 1, {7}), "");
}

TEST(ElementText, NamesElementsRowsAndMembers) {
    Site site = shared(SiteKind::load, 1);
    const auto at = [&](std::uint64_t offset, std::uint32_t out_of_bounds_mask = 0) {
        Record record;
        record.offset = offset;
        record.out_of_bounds_mask = out_of_bounds_mask;
        return element_text(site, record);
    };
    EXPECT_EQ(at(268), "sums[67]");
    EXPECT_EQ(at(0xFFFFFFFC, 1), "sums[-1]") << "32-bit offsets wrap";
    EXPECT_EQ(at(0xFFFFFFFC), "sums[1073741823]");
    site.first_byte = 8;
    EXPECT_EQ(at(20), "sums[3]");
    site.first_byte = 0;
    site.element_bytes = 128;
    EXPECT_EQ(at(132), "sums[1][1]") << "the rest of a row";
    site.member = ".velocity";
    EXPECT_EQ(at(132), "sums[1].velocity");
    site.element_bytes = 16;
    site.bytes = 12;
    site.member.clear();
    EXPECT_EQ(at(48), "sums[3]") << "a vec3 and its padding";
    site.bytes = 64;
    EXPECT_EQ(at(0), "sums") << "all of it at once";
    site.element_bytes = 0;
    site.bytes = 4;
    site.member = ".total";
    EXPECT_EQ(at(4), "sums.total");
}

TEST(LineText, NamesTheFileOfAnInclude) {
    Trace trace;
    trace.kernel = "zero_suppression/scan_alone.u32";
    Site site = shared(SiteKind::load, 12);
    site.file = "/data/shaders/zero_suppression/scan_alone.comp";
    EXPECT_EQ(line_text(trace, site), "line 12");
    site.file = "zero_suppression/scan.glsl";
    EXPECT_EQ(line_text(trace, site), "line scan.glsl:12");
}

TEST(PlacementText, CountsConcurrentWorkgroupsOnTheMultiprocessor) {
    Trace trace;
    trace.grid = {5};
    trace.first_workgroup = trace.last_workgroup = 3;
    EXPECT_THAT(placement_text(trace, 3), Mentions("does not report"));
    trace.placements = {{17, 100, 200}, {17, 150, 160}, {5, 50, 100}, {17, 201, 300}, {17, 10, 99}};
    EXPECT_THAT(placement_text(trace, 0), Mentions(0, 17, 2, 1));
    EXPECT_THAT(placement_text(trace, 3), Mentions(3, 17, 0, 0));
    EXPECT_EQ(placed_workgroups_text(trace), "");
    trace.grid = {10};
    EXPECT_THAT(placement_text(trace, 3), Mentions("first 5 of 10"));
    EXPECT_THAT(placement_text(trace, 7), Mentions(7, "unknown", "first 5 of 10"));
}

TEST(InvocationText, HasTheDimensionsOfTheWorkgroup) {
    Trace trace;
    trace.workgroup = {64};
    trace.grid = {4, 3};
    EXPECT_EQ(invocation_text(trace, 35), "invocation 35");
    EXPECT_EQ(workgroup_text(trace, 6), "workgroup (2, 1)");
    trace.workgroup = {8, 8};
    EXPECT_EQ(invocation_text(trace, 35), "invocation (3, 4)");
    trace.workgroup = {4, 4, 4};
    EXPECT_EQ(invocation_text(trace, 35), "invocation (3, 0, 2)");
}

}  // namespace gridstride::trace::records_test

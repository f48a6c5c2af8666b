#include "trace/races.h"

#include "test_includes.h"
#include "trace/memory_map.h"
#include "trace/trace_builder.h"

namespace gridstride::trace::races_test {

using namespace test;

/// Traces the tree of shaders/reduction/tree_sequential.comp: 8 workgroups of 128 sum 1024 ones.
TraceBuilder tree(bool barrier_after_load) {
    TraceBuilder builder({128}, {8}, 32);
    const auto load = builder.add(bound(SiteKind::load, 27));
    const auto fill = builder.add(shared(SiteKind::store, 27, 128));
    const auto first_barrier = builder.add(barrier(30));
    const auto upper = builder.add(shared(SiteKind::load, 34, 128));
    const auto lower = builder.add(shared(SiteKind::load, 34, 128));
    const auto sum = builder.add(shared(SiteKind::store, 34, 128));
    const auto level_barrier = builder.add(barrier(35));
    const auto total = builder.add(shared(SiteKind::load, 38, 128));
    const auto partial = builder.add(bound(SiteKind::store, 38, 1));
    builder.each([&](std::uint32_t group, std::uint32_t lane) {
        builder.at(group, lane, load, 4 * (128 * group + lane), {1});
        builder.at(group, lane, fill, 4 * lane, {1});
        if (barrier_after_load) builder.at(group, lane, first_barrier);
        for (std::uint32_t half = 64, value = 1; half > 0; half /= 2, value *= 2) {
            if (lane < half) {
                builder.at(group, lane, upper, 4 * (lane + half), {value});
                builder.at(group, lane, lower, 4 * lane, {value});
                builder.at(group, lane, sum, 4 * lane, {2 * value});
            }
            builder.at(group, lane, level_barrier);
        }
        if (lane != 0) return;
        builder.at(group, lane, total, 0, {128});
        builder.at(group, lane, partial, 4 * group, {128});
    });
    return builder;
}

TEST(Races, AreAbsentFromATreeWithBarriers) {
    const auto races = tree(true).findings(FindingKind::race);
    ASSERT_EQ(races.size(), 1U);
    EXPECT_EQ(races[0].status, FindingStatus::ok);
    EXPECT_THAT(races[0].sentence, Mentions("unordered"));
    EXPECT_EQ(races[0].site, std::nullopt);
}

TEST(Races, CountAllPairsOfATreeWithoutItsFirstBarrier) {
    const TraceBuilder builder = tree(false);
    const auto races = builder.findings(FindingKind::race);
    ASSERT_EQ(races.size(), 1U);
    const Finding& race = races[0];
    EXPECT_EQ(race.status, FindingStatus::problem);
    EXPECT_EQ(race.site, 1U);
    EXPECT_EQ(race.other_site, 3U);
    EXPECT_EQ(race.count, 512U) << "the upper 64 elements in each of 8 workgroups";
    EXPECT_THAT(race.sentence, Mentions(27, "sums[64]", 34, 0, 64, 1, 0, 1, 512));
    const auto records = builder.records();
    EXPECT_EQ(records[*race.first].invocation, 64);
    EXPECT_EQ(records[*race.other].invocation, 0);
    EXPECT_EQ(builder.findings()[0].kind, FindingKind::race) << "problems are listed first";

    const auto partners = race_partners(builder.build(), records);
    std::size_t racing = 0;
    for (std::size_t i = 0; i < partners.size(); ++i) {
        if (partners[i] == no_record) continue;
        ++racing;
        EXPECT_EQ(records[i].offset, records[partners[i]].offset);
        EXPECT_NE(records[i].invocation, records[partners[i]].invocation);
    }
    EXPECT_EQ(racing, 2 * 512U);
}

/// Two invocations of a workgroup of 8, in subgroups of 4, access byte 0 and byte `offset`.
std::vector<Race> find_races_of_two(const Site& first, std::uint32_t one, const Site& second,
                                    std::uint32_t other, std::uint64_t offset = 0,
                                    std::vector<Site> between = {}, bool same_value = false) {
    TraceBuilder builder({8}, {1});
    const auto a = builder.add(first);
    builder.at(0, one, a, 0, {1});
    for (const Site& site : between) {
        const auto wait = builder.add(site);
        builder.all_wait(wait);
    }
    const auto b = builder.add(second);
    builder.at(0, other, b, offset, {same_value ? 1U : 2U});
    const Trace trace = builder.build();
    return find_races(trace, decode_records(trace)).pairs;
}

TEST(Races, NeedTwoInvocationsAndAStore) {
    const auto store = shared(SiteKind::store, 1), load = shared(SiteKind::load, 2);
    for (const std::uint32_t other : {1U, 4U}) {  // in the same subgroup, in another
        ASSERT_EQ(find_races_of_two(store, 0, load, other).size(), 1U);
        ASSERT_EQ(find_races_of_two(load, 0, store, other).size(), 1U);
        ASSERT_EQ(find_races_of_two(store, 0, store, other).size(), 1U);
        EXPECT_EQ(find_races_of_two(store, 0, load, other)[0].order, Ordering::none);
        EXPECT_TRUE(find_races_of_two(load, 0, load, other).empty());
    }
    EXPECT_TRUE(find_races_of_two(store, 3, load, 3).empty()) << "the same invocation";
    EXPECT_TRUE(find_races_of_two(store, 0, load, 1, 4).empty()) << "other bytes";
    EXPECT_TRUE(find_races_of_two(store, 0, bound(SiteKind::load, 2), 1).empty()) << "another memory";
    Site other_variable = load;
    other_variable.variable = "others";
    EXPECT_TRUE(find_races_of_two(store, 0, other_variable, 1).empty());
}

TEST(Races, IncludePlainAccessWithAtomicButNotTwoAtomics) {
    const auto atomic = shared(SiteKind::atomic, 1);
    EXPECT_EQ(find_races_of_two(atomic, 0, shared(SiteKind::load, 2), 1).size(), 1U);
    EXPECT_EQ(find_races_of_two(shared(SiteKind::store, 2), 0, atomic, 5).size(), 1U);
    EXPECT_TRUE(find_races_of_two(atomic, 0, shared(SiteKind::atomic, 2), 1).empty());
}

TEST(Races, IncludeOverlappingAccessesOfDifferentSizes) {
    const auto quad = vector(shared(SiteKind::store, 1), 4);
    for (const std::uint64_t offset : {0U, 4U, 12U})
        EXPECT_EQ(find_races_of_two(quad, 0, shared(SiteKind::load, 2), 1, offset).size(), 1U) << offset;
    EXPECT_TRUE(find_races_of_two(quad, 0, shared(SiteKind::load, 2), 1, 16).empty());
    Site byte = shared(SiteKind::store, 1), next = shared(SiteKind::store, 2);
    byte.bytes = byte.element_bytes = next.bytes = next.element_bytes = 1;
    byte.value = next.value = ValueType::u8;
    EXPECT_TRUE(find_races_of_two(byte, 0, next, 1, 1).empty()) << "neighbours in a word";
    EXPECT_EQ(find_races_of_two(shared(SiteKind::store, 1), 0, next, 1, 3).size(), 1U);
    // One site accesses an array in a struct, the other the whole struct.
    Site items = shared(SiteKind::store, 1), whole = shared(SiteKind::load, 2);
    items.variable = "s.items";
    whole.variable = "s";
    EXPECT_EQ(find_races_of_two(items, 0, whole, 1).size(), 1U);
}

TEST(Races, MarkStoresOfEqualValuesAsHarmless) {
    const auto store = shared(SiteKind::store, 1), other = shared(SiteKind::store, 2);
    EXPECT_TRUE(find_races_of_two(store, 0, other, 1, 0, {}, true)[0].same_value);
    EXPECT_FALSE(find_races_of_two(store, 0, other, 1)[0].same_value);
    EXPECT_FALSE(find_races_of_two(store, 0, shared(SiteKind::load, 2), 1, 0, {}, true)[0].same_value);
    // One site stores a vector of four ones, the other a single one.
    TraceBuilder builder({8}, {1});
    const auto quad = builder.add(vector(shared(SiteKind::store, 1), 4));
    const auto one = builder.add(shared(SiteKind::store, 2));
    builder.at(0, 0, quad, 16, {9, 9, 1, 9});
    builder.at(0, 1, one, 24, {1});
    const auto races = builder.findings(FindingKind::race);
    ASSERT_EQ(races.size(), 1U);
    EXPECT_EQ(races[0].status, FindingStatus::problem);
    EXPECT_THAT(races[0].sentence, Mentions("harmless"));
    builder.at(0, 2, one, 24, {2});
    for (const Finding& race : builder.findings(FindingKind::race))
        EXPECT_THAT(race.sentence, Not(HasSubstr("harmless")));
}

TEST(Races, GroupAllAccessesToOneElement) {
    TraceBuilder builder({8}, {1});
    const auto store = builder.add(shared(SiteKind::store, 7));
    builder.each([&](std::uint32_t group, std::uint32_t i) { builder.at(group, i, store, 12, {i}); });
    const auto races = builder.findings(FindingKind::race);
    ASSERT_EQ(races.size(), 1U);
    EXPECT_EQ(races[0].count, 1U);
    EXPECT_THAT(races[0].sentence, Mentions(7, "sums[3]", 0, 0, 0, 4, 4));
}

TEST(Races, SubgroupBarrierOrdersOnlyItsLanes) {
    const auto store = shared(SiteKind::store, 1), load = shared(SiteKind::load, 9);
    EXPECT_TRUE(find_races_of_two(store, 0, load, 3, 0, {subgroup_barrier(5)}).empty());
    EXPECT_EQ(find_races_of_two(store, 0, load, 4, 0, {subgroup_barrier(5)}).size(), 1U);
    EXPECT_TRUE(find_races_of_two(store, 0, load, 4, 0, {barrier(5)}).empty());
}

TEST(Races, WarnOfABarrierThatDoesNotOrderBuffers) {
    const auto store = bound(SiteKind::store, 1), load = bound(SiteKind::load, 9);
    const auto races = find_races_of_two(store, 0, load, 4, 0, {barrier(5)});
    ASSERT_EQ(races.size(), 1U);
    EXPECT_EQ(races[0].order, Ordering::wrong_memory);
    EXPECT_TRUE(find_races_of_two(store, 0, load, 4, 0, {barrier(5, true)}).empty());
    EXPECT_TRUE(find_races_of_two(store, 0, load, 4, 0, {barrier(5), barrier(6, true)}).empty());
    EXPECT_EQ(find_races_of_two(store, 0, load, 4)[0].order, Ordering::none);

    TraceBuilder builder({8}, {1});
    const auto write = builder.add(store), wait = builder.add(barrier(5)), read = builder.add(load);
    builder.each([&](std::uint32_t group, std::uint32_t i) {
        builder.at(group, i, write, 4 * i, {i});
        builder.at(group, i, wait);
        builder.at(group, i, read, 4 * (7 - i), {7 - i});
    });
    const auto found = builder.findings(FindingKind::race);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].status, FindingStatus::warning);
    EXPECT_EQ(found[0].count, 8U);
    EXPECT_THAT(found[0].sentence, Mentions("memoryBarrierBuffer", "orders"));
}

TEST(Races, WorkgroupBarriersDoNotOrderOtherWorkgroups) {
    TraceBuilder builder({4}, {3});
    const auto sum = builder.add(shared(SiteKind::store, 1)), wait = builder.add(barrier(2, true));
    const auto load = builder.add(bound(SiteKind::load, 3)), store = builder.add(bound(SiteKind::store, 3));
    for (std::uint32_t group = 0; group < 3; ++group) {
        builder.at(group, 0, sum, 0, {group});  // each workgroup has its own value
        for (std::uint32_t i = 0; i < 4; ++i)
            builder.at(group, i, wait);
        builder.at(group, 1, load, 20, {0});
        builder.at(group, 1, store, 20, {1});
    }
    const auto races = builder.findings(FindingKind::race);
    ASSERT_EQ(races.size(), 2U) << "load and store, store and store";
    EXPECT_EQ(races[0].site, load);
    EXPECT_EQ(races[0].other_site, store);
    EXPECT_EQ(races[0].count, 1U);
    EXPECT_THAT(races[0].sentence, Mentions(3, "numbers[5]", 3, 1, 1, 1, 1, 0, 0));
    EXPECT_THAT(races[1].sentence, HasSubstr("harmless here"));
}

TEST(Races, AreAbsentBetweenSlicesOfALaunch) {
    TraceBuilder builder({4}, {2});
    const auto store = builder.add(bound(SiteKind::store, 3, 1));
    builder.at(0, 0, store, 0, {1});
    builder.next_slice(64);
    builder.at(1, 0, store, 0, {2});
    builder.at(1, 3, store, 8, {2});
    EXPECT_EQ(builder.findings(FindingKind::race)[0].status, FindingStatus::ok);
    builder.at(0, 0, store, 0, {3});
    EXPECT_EQ(builder.findings(FindingKind::race)[0].status, FindingStatus::problem);
}

/// Traces the end of shaders/reduction/single_pass.comp: each workgroup stores its sum and takes a ticket.
/// In the last workgroup, the lanes of the first subgroup read all sums.
TraceBuilder last_one_adds_up(bool fences, bool ticket_first = false) {
    TraceBuilder builder({8}, {4});
    const auto leave = builder.add(bound(SiteKind::store, 10));
    Site take = bound(SiteKind::atomic, 12, 1);
    take.acquires = take.releases = fences;
    const auto ticket = builder.add(take);
    const auto reset = builder.add(bound(SiteKind::store, 13, 1));
    const auto read = builder.add(bound(SiteKind::load, 20));
    for (std::uint32_t group = 0; group < 4; ++group) {
        if (ticket_first) builder.at(group, 0, ticket, 0, {group});
        builder.at(group, 0, leave, 4 * group, {10 + group});
        if (!ticket_first) builder.at(group, 0, ticket, 0, {group});
    }
    builder.at(3, 0, reset, 0, {0});
    for (std::uint32_t lane = 0; lane < 4; ++lane)
        builder.at(3, lane, read, 4 * lane, {10 + lane});
    return builder;
}

TEST(Races, AreUndecidableAfterAPublishingAtomic) {
    const auto races = last_one_adds_up(true).findings(FindingKind::race);
    ASSERT_FALSE(races.empty());
    for (const Finding& race : races) {
        // The last workgroup reads its own sum in another lane of the subgroup that took the ticket. That
        // race cannot be decided either.
        EXPECT_EQ(race.status, FindingStatus::unknown) << race.sentence;
        EXPECT_THAT(race.sentence, Mentions("Possible race"));
    }
    EXPECT_THAT(race_partners(last_one_adds_up(true).build(), last_one_adds_up(true).records()),
                Each(no_record));
}

TEST(Races, AtomicsWithoutAMemoryBarrierPublishNothing) {
    const auto races = last_one_adds_up(false).findings(FindingKind::race);
    ASSERT_FALSE(races.empty());
    EXPECT_EQ(races[0].status, FindingStatus::problem);
}

TEST(Races, AreUnknownIfRecordsAreMissing) {
    const auto load_only = [] {
        TraceBuilder builder({4}, {4});
        const auto load = builder.add(bound(SiteKind::load, 3));
        builder.at(0, 0, load);
        return builder;
    };
    TraceBuilder some = load_only();
    some.trace().last_workgroup = 1;
    EXPECT_EQ(some.findings(FindingKind::race)[0].status, FindingStatus::unknown);
    EXPECT_THAT(some.findings(FindingKind::race)[0].sentence, Mentions(0, 1, 4));
    TraceBuilder lost = load_only();
    lost.trace().lost = 3;
    EXPECT_EQ(lost.findings(FindingKind::race)[0].status, FindingStatus::unknown);
    EXPECT_THAT(lost.findings(FindingKind::race)[0].sentence, Mentions(3, "records"));
}

TEST(Races, AreUnknownForTooManyBytes) {
    TraceBuilder builder({1024}, {1}, 32);
    Site copy = shared(SiteKind::load, 3, 1 << 20);
    copy.bytes = 4 << 20;
    copy.value = ValueType::none;
    const auto all = builder.add(copy), one = builder.add(shared(SiteKind::store, 4, 1 << 20));
    builder.each([&](std::uint32_t group, std::uint32_t i) {
        builder.at(group, i, all);
        builder.at(group, i, one, 4 * i, {1});
    });
    const auto races = builder.findings(FindingKind::race);
    ASSERT_EQ(races.size(), 1U);
    EXPECT_EQ(races[0].status, FindingStatus::unknown);
    EXPECT_THAT(races[0].sentence, Mentions(max_accesses));
}

}  // namespace gridstride::trace::races_test

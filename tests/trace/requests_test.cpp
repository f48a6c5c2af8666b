#include "trace/requests.h"

#include "test_includes.h"
#include "trace/trace_builder.h"

namespace gridstride::trace::requests_test {

using namespace test;

/// One workgroup with one subgroup of 32 lanes. Lane i accesses byte place(i) at one site.
template <class Place>
TraceBuilder request(const Site& site, Place place) {
    TraceBuilder builder({32}, {1}, 32);
    builder.trace().buffers[0].elements = 1 << 20;
    const auto number = builder.add(site);
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        builder.at(0, lane, number, place(lane));
    return builder;
}

double value(const TraceBuilder& builder, FindingKind kind) {
    const std::vector<Finding> found = builder.findings(kind);
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? -1 : found[0].value.value_or(-1);
}

TEST(Requests, GroupLanesByBallotsOfTheTrace) {
    TraceBuilder builder({4}, {1});
    const auto load = builder.add(bound(SiteKind::load, 3));
    for (const std::uint32_t lane : {0, 2, 1, 3})
        builder.at(0, lane, load, 4 * lane);
    for (const std::size_t leader : {0, 2})  // 0 with 2, then 1 with 3
        builder.words().at(leader * words::length + words::invocation) |= 1U << 31;
    const auto lanes = [&] {
        const std::vector<Record> records = builder.records();
        const Trace trace = builder.build();
        const Requests requests = group_requests(trace, records);
        std::vector<std::vector<int>> all;
        for (const Request& request : requests.all) {
            all.emplace_back();
            for (const std::uint32_t i : requests.of(request))
                all.back().push_back(records[i].lane);
        }
        return all;
    };
    EXPECT_EQ(lanes(), (std::vector<std::vector<int>>{{0, 1, 2, 3}})) << "each lane's first execution";
    builder.trace().ballots = true;
    EXPECT_EQ(lanes(), (std::vector<std::vector<int>>{{0, 2}, {1, 3}}));
}

TEST(Requests, GroupLanesByTheirNthExecution) {
    TraceBuilder builder({8}, {2});
    const auto load = builder.add(bound(SiteKind::load, 1)), wait = builder.add(barrier(2));
    builder.each([&](std::uint32_t group, std::uint32_t i) {
        // The even lanes load first. After a barrier, every second odd lane loads, and after another, all
        // twice.
        if (i % 2 == 0) builder.at(group, i, load);
        builder.at(group, i, wait);
        if (i % 4 == 1) builder.at(group, i, load);
        builder.at(group, i, wait);
        builder.at(group, i, load);
        builder.at(group, i, load);
    });
    const Trace trace = builder.build();
    const std::vector<Record> records = decode_records(trace);
    const Requests requests = group_requests(trace, records);
    ASSERT_EQ(requests.all.size(), 2 * 2 * 4U);
    const std::vector<std::vector<int>> lanes_of = {{0, 2}, {1}, {0, 1, 2, 3}, {0, 1, 2, 3}};
    for (std::size_t r = 0; r < requests.all.size(); ++r) {
        const Request& request = requests.all[r];
        EXPECT_EQ(request.workgroup, r / 8);
        EXPECT_EQ(request.subgroup, r / 4 % 2);
        EXPECT_EQ(request.execution, r % 4);
        EXPECT_EQ(request.count, lanes_of.at(r % 4).size());
        std::vector<int> lanes;
        for (const std::uint32_t i : requests.of(request)) {
            lanes.push_back(records[i].lane);
            EXPECT_EQ(records[i].subgroup, request.subgroup);
        }
        EXPECT_EQ(lanes, lanes_of.at(r % 4));
    }
}

TEST(Activity, IsTheMeanNumberOfActiveLanes) {
    TraceBuilder builder({8}, {4});
    const auto all = builder.add(bound(SiteKind::load, 1)), half = builder.add(shared(SiteKind::load, 2));
    const auto first = builder.add(bound(SiteKind::store, 3, 1));
    const auto one = builder.add(shared(SiteKind::load, 4));
    builder.each([&](std::uint32_t group, std::uint32_t i) {
        builder.at(group, i, all, 4 * (8 * group + i));
        if (i < 4 || i == 7) builder.at(group, i, half, 4 * i);
        if (i == 0) builder.at(group, i, first, 4 * group);
        if (i % 4 == 0) builder.at(group, i, one, 4 * i);
    });
    std::vector<Finding> found = builder.findings(FindingKind::activity);
    ASSERT_EQ(found.size(), 4U);
    EXPECT_EQ(found[0].site, one);
    EXPECT_EQ(found[0].status, FindingStatus::warning);
    EXPECT_EQ(found[0].value, 1.0);
    EXPECT_THAT(found[0].sentence, Mentions(4, 1, 4, 8));
    EXPECT_EQ(found[1].site, all);
    EXPECT_EQ(found[1].value, 4.0);
    EXPECT_EQ(found[1].status, FindingStatus::ok);
    EXPECT_EQ(found[2].site, half);
    EXPECT_EQ(found[2].value, 2.5);
    EXPECT_EQ(found[2].count, 8U);
    EXPECT_EQ(builder.records()[*found[2].first].invocation, 7) << "the request with the fewest lanes";
    EXPECT_EQ(found[3].site, first);
    EXPECT_EQ(found[3].value, 1.0);
    EXPECT_EQ(found[3].status, FindingStatus::ok) << "one access per workgroup is no waste";
    builder.trace().lost = 1;
    for (const Finding& finding : builder.findings(FindingKind::activity))
        EXPECT_EQ(finding.status, FindingStatus::unknown);
}

// With a stride of s 4-byte words, 32 lanes access 4 s sectors of 32 bytes, and at most one sector per lane.
TEST(Sectors, GrowWithTheStride) {
    for (const std::uint32_t stride : {1U, 2U, 3U, 4U, 5U, 7U, 8U, 16U, 31U, 32U}) {
        const TraceBuilder builder =
            request(bound(SiteKind::load, 1), [&](std::uint32_t i) { return 4 * stride * i; });
        EXPECT_EQ(value(builder, FindingKind::sectors), stride < 8 ? (31 * stride) / 8 + 1 : 32) << stride;
        EXPECT_EQ(builder.findings(FindingKind::sectors)[0].status,
                  stride == 1 ? FindingStatus::ok : FindingStatus::warning);
    }
    EXPECT_THAT(request(bound(SiteKind::load, 1), [](std::uint32_t i) { return 8 * i; })
                    .findings(FindingKind::sectors)[0]
                    .sentence,
                Mentions(1, 8, 32, 4, 50));
    EXPECT_THAT(request(bound(SiteKind::load, 1), [](std::uint32_t) { return 0; })
                    .findings(FindingKind::sectors)[0]
                    .sentence,
                Mentions(1, 32));
}

TEST(Sectors, DependOnOffsetSizeAndBroadcast) {
    const auto sectors = [](std::uint32_t components, std::uint64_t component_bytes, auto place) {
        Site site = bound(SiteKind::load, 1);
        site.bytes = component_bytes;
        return value(request(vector(site, components), place), FindingKind::sectors);
    };
    EXPECT_EQ(sectors(1, 4, [](std::uint32_t i) { return 4 * i + 4; }), 5);
    EXPECT_EQ(sectors(1, 4, [](std::uint32_t i) { return 4 * i + 32; }), 4);
    EXPECT_EQ(sectors(2, 4, [](std::uint32_t i) { return 8 * i; }), 8);
    EXPECT_EQ(sectors(4, 4, [](std::uint32_t i) { return 16 * i; }), 16);
    EXPECT_EQ(sectors(3, 4, [](std::uint32_t i) { return 16 * i; }), 16);
    EXPECT_EQ(sectors(1, 8, [](std::uint32_t i) { return 8 * i; }), 8);
    EXPECT_EQ(sectors(1, 2, [](std::uint32_t i) { return 2 * i; }), 2);
    EXPECT_EQ(sectors(1, 4, [](std::uint32_t) { return 64; }), 1);
    EXPECT_EQ(sectors(1, 4, [](std::uint32_t i) { return 4 * (i / 16) * 256; }), 2);
    EXPECT_EQ(sectors(1, 4, [](std::uint32_t i) { return 124 - 4 * i; }), 4);
}

TEST(Sectors, CountSharedBytesOnce) {
    const TraceBuilder builder =
        request(bound(SiteKind::load, 1), [](std::uint32_t i) { return 16 * (i / 2); });
    const Trace trace = builder.build();
    const auto records = decode_records(trace);
    const Requests requests = group_requests(trace, records);
    const Sectors sectors = count_sectors(trace.sites[0], records, requests.of(requests.all[0]));
    EXPECT_EQ(sectors.fetched, 8U);
    EXPECT_EQ(sectors.bytes, 64U);
    EXPECT_EQ(sectors.min_fetched, 2U);
}

// A request with a stride in words takes gcd(stride, 32) turns.
TEST(Banks, TurnsAreTheGcdOfStrideAnd32) {
    for (std::uint32_t stride = 1; stride <= 33; ++stride) {
        const TraceBuilder builder =
            request(shared(SiteKind::load, 1, 2048), [&](std::uint32_t i) { return 4 * stride * i; });
        EXPECT_EQ(value(builder, FindingKind::banks), std::gcd(stride, 32U)) << stride;
    }
    EXPECT_THAT(request(shared(SiteKind::load, 1, 2048), [](std::uint32_t i) { return 128 * i; })
                    .findings(FindingKind::banks)[0]
                    .sentence,
                Mentions(1, 32, 1, 32, 4));
}

TEST(Banks, BroadcastOneWordInOneTurn) {
    const auto turns = [](const Site& site, auto place) {
        return value(request(site, place), FindingKind::banks);
    };
    const Site word = shared(SiteKind::load, 1, 4096);
    EXPECT_EQ(turns(word, [](std::uint32_t) { return 40; }), 1);
    EXPECT_EQ(turns(word, [](std::uint32_t i) { return 128 * (i / 16); }), 2);
    Site byte = word;
    byte.bytes = 1;
    EXPECT_EQ(turns(byte, [](std::uint32_t i) { return i; }), 1) << "four lanes to a word";
    // Accesses of 8 bytes are served per half of the lanes, and those of 16 bytes per quarter.
    EXPECT_EQ(turns(vector(word, 2), [](std::uint32_t i) { return 8 * i; }), 2);
    EXPECT_EQ(turns(vector(word, 2), [](std::uint32_t i) { return 16 * i; }), 4);
    EXPECT_EQ(turns(vector(word, 2), [](std::uint32_t) { return 8; }), 2);
    EXPECT_EQ(turns(vector(word, 4), [](std::uint32_t i) { return 16 * i; }), 4);
    EXPECT_EQ(turns(vector(word, 4), [](std::uint32_t i) { return 32 * i; }), 8);
    EXPECT_EQ(turns(vector(word, 3), [](std::uint32_t i) { return 12 * i; }), 3)
        << "3 and 32 have no common divisor";
    EXPECT_EQ(turns(vector(word, 3), [](std::uint32_t i) { return 16 * i; }), 12);
    const TraceBuilder halves = request(vector(word, 2), [](std::uint32_t i) { return 8 * i; });
    EXPECT_EQ(halves.findings(FindingKind::banks)[0].status, FindingStatus::ok)
        << "the minimum for this number of words";
}

/// The levels of a tree over 256 numbers. place(stride, i) is the word that invocation i reads at the level
/// with this stride, which begins at 1.
template <class Place>
TraceBuilder tree_levels(Place place) {
    TraceBuilder builder({256}, {1}, 32);
    const auto load = builder.add(shared(SiteKind::load, 9)), wait = builder.add(barrier(10));
    for (std::uint32_t stride = 1; stride < 256; stride *= 2) {
        for (std::uint32_t i = 0; i < 256; ++i)
            if (const auto word = place(stride, i); word >= 0)
                builder.at(0, i, load, 4 * static_cast<std::uint64_t>(word));
        builder.all_wait(wait);
    }
    return builder;
}

TEST(Banks, TurnsOfReductionTreesMatchHandCounts) {
    // The reads of sums[2 * stride * i] take 2 2 2 2, 4 4, 8, 8, 8, 4, 2 and 1 turns.
    const double packed = value(tree_levels([](std::uint32_t stride, std::uint32_t i) {
                                    const std::uint32_t word = 2 * stride * i;
                                    return word < 256 ? static_cast<int>(word) : -1;
                                }),
                                FindingKind::banks);
    EXPECT_DOUBLE_EQ(packed, 47.0 / 12);
    const double interleaved = value(tree_levels([](std::uint32_t stride, std::uint32_t i) {
                                         return i % (2 * stride) == 0 ? static_cast<int>(i) : -1;
                                     }),
                                     FindingKind::banks);
    EXPECT_EQ(interleaved, 1.0);
    const double sequential = value(tree_levels([](std::uint32_t stride, std::uint32_t i) {
                                        const std::uint32_t half = 128 / stride;
                                        return i < half ? static_cast<int>(i + half) : -1;
                                    }),
                                    FindingKind::banks);
    EXPECT_EQ(sequential, 1.0);
}

TEST(Banks, CountWordsPerBank) {
    const TraceBuilder builder = request(shared(SiteKind::load, 1), [](std::uint32_t i) { return 8 * i; });
    const Trace trace = builder.build();
    const auto records = decode_records(trace);
    const Requests requests = group_requests(trace, records);
    const auto banks = count_bank_turns(trace, trace.sites[0], records, requests.of(requests.all[0]));
    ASSERT_TRUE(banks);
    EXPECT_EQ(banks->turns, 2U);
    EXPECT_EQ(banks->min_turns, 1U);
    for (std::size_t bank = 0; bank < 32; ++bank)
        EXPECT_EQ(banks->words.at(bank), bank % 2 == 0 ? 2 : 0);
}

TEST(Banks, AreNotModelledOnOtherDevices) {
    TraceBuilder builder = request(shared(SiteKind::load, 1), [](std::uint32_t i) { return 4 * i; });
    builder.trace().banks = 16;
    EXPECT_EQ(value(builder, FindingKind::banks), 2);
    EXPECT_EQ(builder.findings(FindingKind::banks)[0].status, FindingStatus::ok) << "32 words have 16 banks";
    builder.trace().banks = 0;
    builder.trace().banks_note = "A software device has no banks.";
    const auto found = builder.findings(FindingKind::banks);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].status, FindingStatus::unknown);
    EXPECT_EQ(found[0].sentence, "A software device has no banks.");
    EXPECT_EQ(found[0].value, std::nullopt);
    TraceBuilder buffers = request(bound(SiteKind::load, 1), [](std::uint32_t i) { return 4 * i; });
    EXPECT_TRUE(buffers.findings(FindingKind::banks).empty());
    buffers.trace().banks = 0;
    EXPECT_TRUE(buffers.findings(FindingKind::banks).empty()) << "no workgroup memory";
}

TEST(Atomics, CountContentionPerAddress) {
    TraceBuilder builder({32}, {4}, 32);
    const auto total = builder.add(bound(SiteKind::atomic, 1)),
               bins = builder.add(shared(SiteKind::atomic, 2));
    builder.each([&](std::uint32_t group, std::uint32_t i) {
        builder.at(group, i, total, 20);
        builder.at(group, i, bins, 4 * (i / 2));
        builder.at(group, i, bins, 4 * (i / 4));
    });
    std::vector<Finding> found = builder.findings(FindingKind::atomics);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].site, total);
    EXPECT_EQ(found[0].status, FindingStatus::warning);
    EXPECT_EQ(found[0].count, 32U);
    EXPECT_EQ(found[0].value, 128.0);
    EXPECT_THAT(found[0].sentence, Mentions(1, 32, 128, "numbers[5]"));
    EXPECT_EQ(found[1].site, bins);
    EXPECT_EQ(found[1].status, FindingStatus::ok);
    EXPECT_EQ(found[1].count, 4U);
    EXPECT_EQ(found[1].value, 6.0) << "in one workgroup";
    builder.trace().grid = {5};
    found = builder.findings(FindingKind::atomics);
    EXPECT_THAT(found[0].sentence, HasSubstr("or more; only workgroups 0 to 3 of 5 were traced"));
}

}  // namespace gridstride::trace::requests_test

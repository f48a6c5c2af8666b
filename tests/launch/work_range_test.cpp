#include "launch/work_range.h"

#include "test_includes.h"

namespace gridstride::work_range_test {

using ::testing::_;

Dispatch shared_out(const Extent& domain, const Extent& grid, const Extent& workgroup,
                    std::uint64_t per_invocation = 1) {
    Dispatch launch;
    launch.workgroup = launch.tile = workgroup;
    launch.tile.x *= per_invocation;
    launch.grid = grid;
    launch.domain = domain;
    return launch;
}

/// Launches with or without a remainder in each dimension, with idle workgroups, with one or more passes.
const std::vector<Dispatch> small_launches = {
    shared_out({1}, {1}, {1}),
    shared_out({64}, {4}, {16}),
    shared_out({61}, {4}, {8}),
    shared_out({61}, {3}, {8}, 2),
    shared_out({5}, {7}, {2}),
    shared_out({20, 3}, {2, 2}, {16, 2}),
    shared_out({37, 11}, {2, 3}, {4, 2}),
    shared_out({37, 5}, {2, 4}, {4, 2}, 2),
    shared_out({9, 7, 5}, {2, 2, 2}, {2, 3, 2}),
    shared_out({3, 2, 9}, {2, 1, 3}, {2, 2, 1}),
};

/// Applies the contract of launch/plan.h to each element: in each dimension, element e belongs to workgroup
/// (e / tile) % grid and to pass (e / tile) / grid.
struct Dealt {
    std::map<Index3, std::uint64_t> elements;          ///< per workgroup
    std::map<Index3, std::set<Index3>> tiles;          ///< per workgroup
    std::map<Index3, std::set<Index3>> elements_of_0;  ///< per tile, for the workgroup at the origin
};
Dealt deal(const Dispatch& launch) {
    Dealt dealt;
    for (std::uint64_t n = 0; n < launch.elements(); ++n) {
        const Index3 element = index_at(full_region(launch.domain), n);
        Index3 tile, workgroup;
        for (unsigned d = 0; d < 3; ++d) {
            tile[d] = element[d] / launch.tile.along(d);
            workgroup[d] = tile[d] % launch.grid.along(d);
        }
        ++dealt.elements[workgroup];
        dealt.tiles[workgroup].insert(tile);
        if (workgroup == Index3{0, 0, 0}) dealt.elements_of_0[tile].insert(element);
    }
    return dealt;
}

TEST(WorkRange, MatchesABruteForceCount) {
    for (const Dispatch& launch : small_launches) {
        const Dealt dealt = deal(launch);
        const Region grid = full_region(launch.grid);
        const auto expected = [&](const Region& part) {
            WorkRange work;
            for (std::uint64_t n = 0; n < count_indices(part); ++n) {
                const Index3 workgroup = index_at(part, n);
                ++work.workgroups;
                if (!dealt.elements.contains(workgroup)) continue;
                ++work.active_workgroups;
                work.elements += dealt.elements.at(workgroup);
                work.slots += dealt.tiles.at(workgroup).size() * launch.elements_per_workgroup();
            }
            return work;
        };
        for (std::uint64_t a = 0; a < count_indices(grid); ++a) {
            for (std::uint64_t b = a; b < count_indices(grid); ++b) {
                const Index3 low = index_at(grid, a), high = index_at(grid, b);
                if (high[0] < low[0] || high[1] < low[1] || high[2] < low[2]) continue;
                const Region part{IndexRange{low[0], high[0] + 1}, IndexRange{low[1], high[1] + 1},
                                  IndexRange{low[2], high[2] + 1}};
                const WorkRange found = compute_work_range(launch, part), right = expected(part);
                EXPECT_EQ(found.workgroups, right.workgroups);
                EXPECT_EQ(found.active_workgroups, right.active_workgroups);
                EXPECT_EQ(found.elements, right.elements);
                EXPECT_EQ(found.slots, right.slots);
            }
        }
    }
}

TEST(WorkRange, PassesMatchTheTilesOfAWorkgroup) {
    for (const Dispatch& launch : small_launches) {
        const Dealt dealt = deal(launch);
        const Region grid = full_region(launch.grid);
        for (std::uint64_t n = 0; n < count_indices(grid); ++n) {
            const Index3 workgroup = index_at(grid, n);
            const auto tiles = dealt.tiles.find(workgroup);
            EXPECT_EQ(count_passes(launch, workgroup), tiles == dealt.tiles.end() ? 0 : tiles->second.size());
        }
        std::set<Index3> indices;
        for (std::uint64_t pass = 0; pass < count_passes(launch, {0, 0, 0}); ++pass) {
            const Region elements = elements_of_pass(launch, {0, 0, 0}, pass);
            for (std::uint64_t n = 0; n < count_indices(elements); ++n)
                EXPECT_TRUE(indices.insert(index_at(elements, n)).second) << "taken twice";
        }
        std::set<Index3> right;
        for (const auto& [tile, elements] : dealt.elements_of_0)
            right.insert(elements.begin(), elements.end());
        EXPECT_EQ(indices, right);
    }
}

/// If each invocation takes one element of a tile, together they take each element exactly once.
TEST(WorkRange, InvocationsCoverEachElementOnce) {
    for (const Dispatch& launch : small_launches) {
        if (launch.tile != launch.workgroup) continue;
        const Region grid = full_region(launch.grid), workgroup = full_region(launch.workgroup);
        std::set<Index3> indices;
        for (std::uint64_t n = 0; n < count_indices(grid); ++n) {
            const Index3 group = index_at(grid, n);
            const std::uint64_t passes = count_passes(launch, group);
            for (std::uint64_t i = 0; i < count_indices(workgroup); ++i) {
                const Index3 invocation = index_at(workgroup, i);
                std::uint64_t times = 0;
                for (std::uint64_t pass = 0; pass < passes; ++pass) {
                    const ElementsOfInvocation one =
                        find_elements_of_invocation(launch, group, pass, invocation);
                    if (one.max_count == 0) continue;
                    ++times;
                    EXPECT_TRUE(one.is_exact);
                    ASSERT_EQ(count_indices(one.superset), 1U);
                    EXPECT_TRUE(indices.insert(index_at(one.superset, 0)).second) << "taken twice";
                }
                EXPECT_EQ(coverage_of_invocation(launch, group, invocation), times == 0 ? Coverage::none
                                                                             : times == passes
                                                                                 ? Coverage::all
                                                                                 : Coverage::some);
            }
        }
        EXPECT_EQ(indices.size(), launch.elements());
    }
}

TEST(WorkRange, GivesASupersetForSeveralElementsPerInvocation) {
    // Each invocation takes two elements of a tile of 16. The second and last tile of workgroup 0 has
    // 61 - 48 = 13 elements.
    const Dispatch launch = shared_out({61}, {3}, {8}, 2);
    const ElementsOfInvocation full = find_elements_of_invocation(launch, {0, 0, 0}, 0, {7, 0, 0});
    EXPECT_EQ(full.superset[0], (IndexRange{0, 16}));
    EXPECT_EQ(full.max_count, 2U);
    EXPECT_TRUE(full.is_exact);
    EXPECT_EQ(describe_elements(launch, full), "2 of elements 0 to 15");
    const ElementsOfInvocation cut = find_elements_of_invocation(launch, {0, 0, 0}, 1, {7, 0, 0});
    EXPECT_FALSE(cut.is_exact);
    EXPECT_EQ(describe_elements(launch, cut), "at most 2 of elements 48 to 60");
    EXPECT_EQ(coverage_of_invocation(launch, {0, 0, 0}, {7, 0, 0}), Coverage::some);
    EXPECT_EQ(coverage_of_invocation(launch, {1, 0, 0}, {7, 0, 0}), Coverage::all);
    // A tile with 5 elements has none for the sixth invocation, in any distribution.
    EXPECT_EQ(find_elements_of_invocation(shared_out({5}, {1}, {8}, 2), {0, 0, 0}, 0, {5, 0, 0}).max_count,
              0U);
}

TEST(WorkRange, LinearIndexRunsAlongXFirst) {
    const Region part{IndexRange{2, 5}, IndexRange{1, 3}, IndexRange{0, 2}};
    EXPECT_EQ(index_at(part, 0), (Index3{2, 1, 0}));
    EXPECT_EQ(index_at(part, 4), (Index3{3, 2, 0}));
    EXPECT_EQ(index_at(part, 11), (Index3{4, 2, 1}));
    for (std::uint64_t n = 0; n < count_indices(part); ++n)
        EXPECT_EQ(linear_index(part, index_at(part, n)), n);
    EXPECT_EQ(text_of(Index3{1234, 0, 0}, {2000}), "1\u2009234");
    EXPECT_EQ(text_of(Index3{3, 1, 0}, {8, 2, 1}), "(3, 1, 0)");
}

// The expected values below were computed by hand.

TEST(WorkDescription, DescribesAWorkgroup) {
    const auto describe = [](const Dispatch& launch, std::uint64_t n) {
        const Index3 at = index_at(full_region(launch.grid), n);
        return describe_workgroups(launch, {IndexRange{at[0], at[0] + 1}, IndexRange{at[1], at[1] + 1},
                                            IndexRange{at[2], at[2] + 1}});
    };
    EXPECT_EQ(describe(shared_out({1024}, {4}, {256}), 3),
              "Workgroup 3: elements 768 to 1\u2009023, 1 pass.");
    EXPECT_EQ(describe(shared_out({1}, {1}, {1}), 0), "Workgroup 0: element 0, 1 pass.");
    EXPECT_EQ(describe(shared_out({1024}, {6}, {256}), 5), "Workgroup 5: no element.");
    EXPECT_THAT(describe(shared_out({1000}, {4}, {256}), 3), Mentions(3, 768, 999, 1, 24));
    EXPECT_EQ(describe(shared_out({2048}, {4}, {256}), 1),
              "Workgroup 1: 512 elements in 2 passes, first elements 256 to 511.");
    EXPECT_THAT(describe(shared_out({100, 10}, {7, 1}, {16, 16}), 6), Mentions(6, 0, 96, 0, 99, 9, 1, 216));
}

TEST(WorkDescription, DescribesSeveralWorkgroups) {
    const Dispatch launch = shared_out({1024}, {6}, {256});
    EXPECT_EQ(describe_workgroups(launch, {IndexRange{0, 4}, IndexRange{0, 1}, IndexRange{0, 1}}),
              "Workgroups 0 to 3: 1\u2009024 elements.");
    EXPECT_EQ(describe_workgroups(launch, {IndexRange{2, 6}, IndexRange{0, 1}, IndexRange{0, 1}}),
              "Workgroups 2 to 5: 512 elements; 2 of 4 have none.");
    EXPECT_EQ(describe_workgroups(launch, {IndexRange{4, 6}, IndexRange{0, 1}, IndexRange{0, 1}}),
              "Workgroups 4 to 5: no element.");
}

TEST(WorkDescription, DescribesTheLaunch) {
    EXPECT_THAT(describe_launch(shared_out({1024}, {4}, {256}), 1), ElementsAre(Mentions(256, 1024, 1)));
    EXPECT_THAT(describe_launch(shared_out({1000}, {2}, {256}), 1),
                ElementsAre(HasSubstr("all 1\u2009000 in 2 passes."), Mentions(24, 1024)));
    EXPECT_THAT(describe_launch(shared_out({1024}, {6}, {256}), 3),
                ElementsAre(_, Mentions(2, 6), Mentions(3, "dispatched")));
    // 100 columns need 7 tiles of 16, and 10 rows need one: 7 x 256 = 1792 places for 1000 elements.
    EXPECT_THAT(describe_launch(shared_out({100, 10}, {8, 2}, {16, 16}), 1),
                ElementsAre(_, Mentions(792, 1792), Mentions(9, 16)));
}

}  // namespace gridstride::work_range_test

#include "present/launch_boxes.h"

#include "test_includes.h"

namespace gridstride::launch_boxes_test {

Dispatch make_launch(const Extent& domain, const Extent& grid, const Extent& workgroup) {
    Dispatch launch;
    launch.workgroup = launch.tile = workgroup;
    launch.grid = grid;
    launch.domain = domain;
    return launch;
}

LaunchBoxes make_boxes(const Extent& grid) {
    const Dispatch launch = make_launch(grid, grid, {1, grid.y > 0 ? 1U : 0U, grid.z > 0 ? 1U : 0U});
    return make_grid_boxes(launch, {}, full_region(grid));
}

TEST(LaunchBoxes, AFewWorkgroupsHaveOneBoxEach) {
    const LaunchBoxes cube = make_boxes({4, 3, 2});
    EXPECT_FALSE(cube.is_merged());
    EXPECT_EQ(cube.solid.boxes, glm::uvec3(4, 3, 2));
    EXPECT_EQ(cube.region_of(23)[0].first, 3U);
    EXPECT_EQ(cube.region_of(23)[1].first, 2U);
    EXPECT_EQ(cube.region_of(23)[2].first, 1U);
    const LaunchBoxes one = make_boxes({1});
    EXPECT_EQ(one.solid.boxes, glm::uvec3(1, 1, 1));
}

TEST(LaunchBoxes, ALongRowIsWrapped) {
    const LaunchBoxes row = make_boxes({100});
    EXPECT_EQ(row.solid.boxes, glm::uvec3(32, 4, 1));
    EXPECT_EQ(row.solid.count, 100U);
    EXPECT_EQ(row.region_of(99)[0], (IndexRange{99, 100}));
    EXPECT_EQ(make_boxes({32}).solid.boxes, glm::uvec3(32, 1, 1));
}

TEST(LaunchBoxes, ManyWorkgroupsAreMerged) {
    // 65 535 / 512 is 127.998.
    const LaunchBoxes wide = make_boxes({65535, 3});
    EXPECT_EQ(wide.each, (Index3{512, 1, 1}));
    EXPECT_EQ(wide.solid.boxes, glm::uvec3(128, 3, 1));
    EXPECT_EQ(wide.region_of(127)[0], (IndexRange{65024, 65535})) << "the last box has fewer workgroups";
    // 2^31 workgroups in a row are 2048 boxes of 2^20.
    EXPECT_EQ(make_boxes({std::uint64_t{1} << 31}).each, (Index3{1 << 20, 1, 1}));
    EXPECT_EQ(make_boxes({2048}).each, (Index3{1, 1, 1}));
    EXPECT_EQ(make_boxes({2049}).each, (Index3{2, 1, 1}));
}

/// Grids with and without a remainder, from small ones to the largest that a device launches.
const std::vector<Extent> grids = {{1},
                                   {7},
                                   {2049},
                                   {65535, 3},
                                   {3, 65535},
                                   {65535, 65535},
                                   {129, 129},
                                   {5, 7},
                                   {300, 2, 40},
                                   {17, 13, 11},
                                   {65535, 65535, 65535},
                                   {1, 1, 500},
                                   {1, 900}};

TEST(LaunchBoxes, AreLimitedAndHoldEachWorkgroupOnce) {
    for (const Extent& grid : grids) {
        const LaunchBoxes boxes = make_boxes(grid);
        EXPECT_LE(boxes.solid.count, max_launch_boxes);
        EXPECT_EQ(boxes.boxes.size(), boxes.solid.count);
        std::uint64_t total = 0;
        for (std::uint32_t box = 0; box < boxes.solid.count; ++box)
            total += count_indices(boxes.region_of(box));
        EXPECT_EQ(total, grid.product()) << text_of(grid);
        // This checks all workgroups of a small grid, and a sample of a large one.
        const std::uint64_t step = std::max<std::uint64_t>(1, grid.product() / 4099);
        for (std::uint64_t n = 0; n < grid.product(); n += step) {
            const Index3 place = index_at(full_region(grid), n);
            const auto box = boxes.box_of(place);
            ASSERT_TRUE(box && *box < boxes.solid.count) << text_of(grid);
            const Region region = boxes.region_of(*box);
            for (std::size_t d = 0; d < 3; ++d)
                EXPECT_TRUE(place[d] >= region[d].first && place[d] < region[d].end) << text_of(grid);
        }
    }
}

TEST(LaunchBoxes, AnOpenedBoxShowsItsWorkgroups) {
    const Dispatch launch = make_launch({65535, 3}, {65535, 3}, {1, 1});
    const LaunchBoxes all = make_grid_boxes(launch, {}, full_region(launch.grid));
    const LaunchBoxes part = make_grid_boxes(launch, {}, all.region_of(129));
    EXPECT_FALSE(part.is_merged());
    EXPECT_EQ(part.solid.count, 512U);
    EXPECT_EQ(part.region_of(0)[0].first, 512U);
    EXPECT_EQ(part.region_of(0)[1].first, 1U);
    EXPECT_FALSE(part.box_of({0, 1, 0}));
    EXPECT_EQ(part.box_of({513, 1, 0}), 1U);
}

TEST(LaunchBoxes, HaveTheCoverageOfTheirWorkgroups) {
    // Tiles of 16 x 16 cover 100 x 32 elements: in column 6 each row has 4 of 16, and column 7 is empty.
    const Dispatch launch = make_launch({100, 32}, {8, 2}, {16, 16});
    const LaunchBoxes boxes = make_grid_boxes(launch, {}, full_region(launch.grid));
    for (std::uint32_t box = 0; box < 16; ++box)
        EXPECT_EQ(boxes.boxes[box].coverage, box % 8 < 6    ? Coverage::all
                                             : box % 8 == 6 ? Coverage::some
                                                            : Coverage::none);
    const LaunchBoxes edge = make_workgroup_boxes(launch, {6, 0, 0}, 32);
    for (std::uint32_t box = 0; box < 256; ++box) {
        EXPECT_EQ(edge.boxes[box].coverage, box % 16 < 4 ? Coverage::all : Coverage::none);
        EXPECT_EQ(edge.boxes[box].is_odd, box / 32 % 2 == 1) << "a subgroup has two rows of sixteen lanes";
    }
    const LaunchBoxes lanes = make_subgroup_boxes(launch, {6, 0, 0}, 3, 32);
    EXPECT_EQ(lanes.solid.count, 32U);
    EXPECT_EQ(lanes.of[0], (IndexRange{96, 128}));
    EXPECT_EQ(lanes.boxes[3].coverage, Coverage::all);
    EXPECT_EQ(lanes.boxes[4].coverage, Coverage::none);
    EXPECT_TRUE(lanes.boxes[0].is_odd);
    // The last subgroup of 100 invocations has four lanes.
    EXPECT_EQ(make_subgroup_boxes(make_launch({100}, {1}, {100}), {}, 3, 32).solid.count, 4U);
}

TEST(LaunchBoxes, SlicesAlternateInColour) {
    const Dispatch launch = make_launch({16}, {8}, {1});
    Slicing slicing;
    for (std::uint64_t first = 0; first < 16; first += 2)
        slicing.slices.push_back({first, 2, first % 8, 2, first < 8});
    const LaunchBoxes parts = make_grid_boxes(launch, slicing, full_region(launch.grid));
    for (std::uint32_t box = 0; box < 8; ++box)
        EXPECT_EQ(parts.boxes[box].is_odd, box / 2 % 2 == 1);
    // If each slice is a pass over the whole grid, no workgroup belongs to a single slice.
    const Slicing two_slices{.slices = {{0, 8, 0, 8, true}, {8, 8, 0, 8, false}}};
    for (const LaunchBox& box : make_grid_boxes(launch, two_slices, full_region(launch.grid)).boxes)
        EXPECT_FALSE(box.is_odd);
}

}  // namespace gridstride::launch_boxes_test

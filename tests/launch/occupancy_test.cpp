// Compares the model with NVIDIA's figures for compute capability 9.0 (CUDA Occupancy Calculator): 64 warps,
// 32 blocks and 65 536 registers per multiprocessor.
#include "launch/occupancy.h"

#include "launch/h200.h"
#include "test_includes.h"

namespace gridstride::occupancy_test {

using Bound = Occupancy::Bound;

using test::h200;

std::uint64_t workgroups(std::uint64_t size, std::uint32_t registers) {
    return occupancy(size, registers, h200())->workgroups;
}

TEST(Occupancy, IsLimitedBySubgroupsIfLittleElseIsUsed) {
    const Occupancy fit = *occupancy(256, 32, h200());
    EXPECT_EQ(fit.workgroups, 8u);
    EXPECT_EQ(fit.subgroups, 64u);
    EXPECT_DOUBLE_EQ(fit.fraction, 1);
    EXPECT_TRUE(fit.limits(OccupancyBound::subgroups));
    EXPECT_TRUE(fit.limits(OccupancyBound::registers));
    EXPECT_FALSE(fit.limits(OccupancyBound::workgroups));
    EXPECT_THAT(fit.bounds,
                ElementsAre(Bound{OccupancyBound::subgroups, 8}, Bound{OccupancyBound::registers, 8},
                            Bound{OccupancyBound::workgroups, 32}));
}

TEST(Occupancy, RoundsRegistersToTheAllocationUnit) {
    // 40 registers are 1 280 per warp: 51 warps fit, or 48 as a multiple of 4, which is 75 % occupancy.
    // 33 registers are rounded up to 40.
    EXPECT_EQ(workgroups(256, 40), 6u);
    EXPECT_EQ(workgroups(256, 33), 6u);
    EXPECT_EQ(workgroups(256, 48), 5u);
    EXPECT_EQ(workgroups(256, 64), 4u);
    EXPECT_EQ(workgroups(256, 96), 2u);
    EXPECT_EQ(workgroups(256, 128), 2u);
    EXPECT_EQ(workgroups(256, 255), 1u);
    EXPECT_EQ(workgroups(1024, 64), 1u);
    EXPECT_EQ(workgroups(1024, 65), 0u) << "cannot be launched at all";
}

TEST(Occupancy, SmallWorkgroupsReachTheWorkgroupLimit) {
    const Occupancy fit = *occupancy(32, 32, h200());
    EXPECT_EQ(fit.workgroups, 32u);
    EXPECT_DOUBLE_EQ(fit.fraction, 0.5);
    EXPECT_TRUE(fit.limits(OccupancyBound::workgroups));
    EXPECT_FALSE(fit.limits(OccupancyBound::subgroups));
    EXPECT_EQ(workgroups(33, 32), 32u) << "two warps each, the second nearly empty";
    EXPECT_EQ(workgroups(65, 32), 21u) << "three warps each";
}

TEST(Occupancy, UnknownLimitsAreIgnored) {
    Limits limits = h200();
    limits.registers_per_multiprocessor = 0;
    limits.workgroups_per_multiprocessor = 0;
    const Occupancy fit = *occupancy(32, 255, limits);
    EXPECT_EQ(fit.workgroups, 64u);
    EXPECT_EQ(fit.bounds.size(), 1u);
    limits.subgroups_per_multiprocessor = 0;
    EXPECT_FALSE(occupancy(32, 32, limits));
}

std::string words(const Dispatch& launch, std::uint32_t registers, const Limits& limits) {
    std::string all;
    for (const std::string& sentence : describe_occupancy(launch, registers, limits))
        all += sentence + "\n";
    return all;
}

TEST(Occupancy, DescriptionNamesTheLimitAndTheGrid) {
    Dispatch launch;
    launch.workgroup = {256};
    launch.grid = {8};
    EXPECT_THAT(words(launch, 40, h200()), Mentions(6, 256, 48, 64));
    EXPECT_THAT(words(launch, 40, h200()), HasSubstr("limited by its registers (40 an invocation"));
    EXPECT_THAT(words(launch, 40, h200()), HasSubstr("leaves 124 of the 132 multiprocessors without work"));
    launch.grid = {1000};
    EXPECT_THAT(words(launch, 40, h200()), HasSubstr("takes 2 waves"));
    EXPECT_THAT(words(launch, 0, h200()), Mentions("registers"));
}

TEST(Occupancy, DescriptionMentionsSharedMemory) {
    Dispatch launch;
    launch.workgroup = {256};
    launch.grid = {1000};
    launch.shared_bytes = 1024;
    EXPECT_THAT(words(launch, 32, h200()), Mentions("limit"));
    launch.shared_bytes = 32 * 1024;
    EXPECT_THAT(words(launch, 32, h200()), Mentions(32, "KiB"));
}

TEST(Occupancy, DescriptionIsOneSentenceIfLimitsAreUnknown) {
    EXPECT_EQ(describe_occupancy(Dispatch{}, 0, Limits{}).size(), 1u);
    EXPECT_THAT(words(Dispatch{}, 0, Limits{}), Mentions("multiprocessors"));
}

}  // namespace gridstride::occupancy_test

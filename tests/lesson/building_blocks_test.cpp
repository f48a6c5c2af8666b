// Tests the code that many lessons share, apart from the lessons of the course.
#include "lesson/building_blocks.h"

#include "lesson/lesson_case.h"
#include "test_includes.h"

namespace gridstride::stock_test {

using namespace test;

TEST(BuildingBlocks, FastSumAddsAllNumbersAndWrapsIntegers) {
    for (const std::size_t count : {0, 1, 31, 32, 33, 1000}) {
        const std::vector<float> numbers(count, 0.5f);
        EXPECT_EQ(fast_sum(std::span(numbers)), static_cast<double>(count) / 2);
    }
    const std::vector<std::uint32_t> large = {4294967295u, 2, 40};
    EXPECT_EQ(fast_sum(std::span(large)), 41);
}

TEST(BuildingBlocks, SumInOrderKeepsTheTypeAndItsRounding) {
    EXPECT_THAT(sum_in_order(*array_of<std::uint32_t>({4294967295u, 2, 40})).as<std::uint32_t>(),
                ElementsAre(41));
    EXPECT_THAT(sum_in_order(*array_of<float>({16777216, 1, 1})).as<float>(), ElementsAre(16777216));
    EXPECT_THAT(sum_in_order(*array_of<double>({16777216, 1, 1})).as<double>(), ElementsAre(16777218));
}

TEST(BuildingBlocks, SumMagnitudesUsesTheFirstNumbers) {
    const ArrayRef numbers = array_of<double>({-1.5, 2, 100});
    EXPECT_EQ(sum_magnitudes(*numbers, 2), 3.5);
    EXPECT_EQ(sum_magnitudes(*numbers, 0), 0);
}

TEST(BuildingBlocks, SummaryHasTheExtremesOfEachType) {
    const auto expect_summary = [](const ArrayRef& numbers, double smallest, double largest, double sum) {
        const NumberSummary all = summarize_numbers(*numbers);
        EXPECT_EQ(all.smallest, smallest);
        EXPECT_EQ(all.largest, largest);
        EXPECT_EQ(all.sum, sum);
        EXPECT_EQ(all.nan_count, 0u);
    };
    expect_summary(array_of<float>({-1.5F, 2, -HUGE_VALF}), -HUGE_VAL, 2, -HUGE_VAL);
    expect_summary(array_of<Half>({Half(-1.5), Half(2)}), -1.5, 2, 0.5);
    expect_summary(array_of<std::uint32_t>({4294967295u, 3}), 3, 4294967295, 4294967298);
    expect_summary(array_of<std::int32_t>({-7, 0, 3}), -7, 3, -4);
    const NumberSummary nan_summary = summarize_numbers(*array_of<float>({1, NAN, 2}));
    EXPECT_TRUE(std::isnan(nan_summary.smallest) && std::isnan(nan_summary.largest));
    EXPECT_EQ(nan_summary.nan_count, 1u);
}

TEST(BuildingBlocks, CheckFiniteF32RefusesOverflowAndNaN) {
    EXPECT_EQ(check_finite_f32(3e38), "");
    EXPECT_NE(check_finite_f32(-1e39), "");
    EXPECT_NE(check_finite_f32(std::nan("")), "");
}

TEST(BuildingBlocks, ScratchArrayIsReusedForEqualSizeAndType) {
    const std::byte* const first = scratch_array(ElementType::f32, 1000).raw().data();
    EXPECT_EQ(scratch_array(ElementType::f32, 1000).raw().data(), first);
    EXPECT_EQ(scratch_array(ElementType::i16, 1000).as<std::int16_t>().size(), 1000u);
    EXPECT_EQ(scratch_array(ElementType::i16, 7).as<std::int16_t>().size(), 7u);
}

TEST(BuildingBlocks, SumToleranceFollowsTheLongestChainOfAdditions) {
    EXPECT_NEAR(f32_sum_tolerance(10, 1000).relative, 10 * 0x1p-24, 1e-12);
    EXPECT_NEAR(f32_sum_tolerance(1'000'000'000, 1000).relative, 999 * 0x1p-24, 1e-12)
        << "no more than for the worst order";
    EXPECT_LT(f32_sum_tolerance(0, 1).relative, 1e-15) << "a single number is not rounded at all";
    EXPECT_GT(f32_sum_tolerance(1, 2).absolute, 0);
}

TEST(BuildingBlocks, SampleNumbersReturnsAllOrEvenlySpacedNumbers) {
    const ArrayRef array = array_of<std::int16_t>({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    EXPECT_THAT(sample_numbers(*array), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    EXPECT_THAT(sample_numbers(*array, 5), ElementsAre(0, 2, 4, 6, 8));
    EXPECT_THAT(sample_numbers(*array, 3), ElementsAre(0, 3, 6));
    EXPECT_TRUE(sample_numbers(Array(ElementType::f32, 0)).empty());
}

TEST(BuildingBlocks, HistogramClampsToTheOuterBinsAndSkipsNaN) {
    const std::vector<double> numbers = {-9, 0, 0.49, 0.5, 1.9, 2, INFINITY, std::nan("")};
    const Series bars = make_histogram(numbers, 0, 0.5, 4, 10);
    EXPECT_EQ(bars.mark, Mark::bars);
    EXPECT_THAT(bars.x, ElementsAre(0.25, 0.75, 1.25, 1.75));
    EXPECT_THAT(bars.y, ElementsAre(30, 10, 0, 30));
    EXPECT_THAT(make_histogram({}, -1, 1, 2).y, ElementsAre(0, 0));
}

Report run_of(std::vector<StepTime> steps) {
    Report run;
    run.experiment.variant = "fused";
    run.timings.wall.samples = {100'000};
    run.timeline = std::move(steps);
    return run;
}

TEST(BuildingBlocks, TimelineRowHasOneBarPerStepAndJoinsPieces) {
    const Timeline::Row row = make_timeline_row(run_of({{Phase::upload, "numbers", 10, 20},
                                                        {Phase::upload, "numbers", 31, 20},
                                                        {Phase::kernel, "add", 60, 5},
                                                        {Phase::kernel, "add", 5'000, 5},
                                                        {Phase::download, "sums", 6'000, 5},
                                                        {Phase::host, "CPU adds", 7'000, 50}}));
    EXPECT_EQ(row.label, "fused");
    EXPECT_EQ(row.end_ns, 100'000);
    std::vector<std::string> labels;
    std::vector<ColorRole> color_roles;
    for (const Timeline::Bar& bar : row.bars) {
        labels.push_back(bar.label);
        color_roles.push_back(bar.color_role);
    }
    EXPECT_THAT(labels, ElementsAre("upload numbers", "add", "add", "download sums", "CPU adds"));
    EXPECT_THAT(color_roles, ElementsAre(ColorRole::upload, ColorRole::kernel, ColorRole::kernel,
                                         ColorRole::download, ColorRole::cpu));
    EXPECT_EQ(row.bars[0].start_ns, 10);
    EXPECT_EQ(row.bars[0].duration_ns, 41) << "from the first piece to the end of the second";
}

TEST(BuildingBlocks, TimingHasAMedianOnlyIfMeasured) {
    EXPECT_EQ(Timing{}.median(), std::nullopt);
    EXPECT_EQ((Timing{.samples = {3, 1, 2}}.median()), 2);
}

TEST(BuildingBlocks, TimelineRowEndsAfterItsLastBar) {
    EXPECT_EQ(make_timeline_row(run_of({{Phase::kernel, "add", 0, 150'000}})).end_ns, 150'000);
    EXPECT_TRUE(make_timeline_row(Report()).bars.empty());
}

}  // namespace gridstride::stock_test

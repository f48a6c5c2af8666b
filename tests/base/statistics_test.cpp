#include "base/statistics.h"

#include "test_includes.h"

namespace gridstride::statistics_test {

// Known answers: numpy.quantile([3, 1, 4, 1, 5, 9, 2, 6], q).
TEST(Quantile, InterpolatesLikeNumPy) {
    const std::vector<double> values = {3, 1, 4, 1, 5, 9, 2, 6};
    EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
    EXPECT_DOUBLE_EQ(quantile(values, 0.05), 1);
    EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);
    EXPECT_DOUBLE_EQ(quantile(values, 0.5), 3.5);
    EXPECT_DOUBLE_EQ(quantile(values, 0.9), 6.9);
    EXPECT_DOUBLE_EQ(quantile(values, 0.95), 7.95);
    EXPECT_DOUBLE_EQ(quantile(values, 1), 9);
}

TEST(Quantile, HandlesFewValues) {
    EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
    const std::vector<double> one = {7};
    EXPECT_EQ(quantile(one, 0), 7);
    EXPECT_EQ(quantile(one, 0.3), 7);
    EXPECT_EQ(quantile(one, 1), 7);
    const std::vector<double> two = {10, 0};
    EXPECT_DOUBLE_EQ(median(two), 5);
}

TEST(Quantile, IsNaNIfAValueIsNaN) {
    const std::vector<double> values = {1, std::numeric_limits<double>::quiet_NaN(), 3};
    EXPECT_TRUE(std::isnan(median(values)));
    EXPECT_TRUE(std::isnan(summarize(values).p95));
}

TEST(Quantile, AcceptsInfinity) {
    const std::vector<double> values = {1, 2, std::numeric_limits<double>::infinity()};
    EXPECT_EQ(median(values), 2);
    EXPECT_EQ(quantile(values, 1), std::numeric_limits<double>::infinity());
}

std::vector<double> one_to(int n) {
    std::vector<double> values(static_cast<std::size_t>(n));
    std::iota(values.begin(), values.end(), 1.0);
    return values;
}

TEST(Summarize, ComputesMedianAndPercentiles) {
    const Summary summary = summarize(one_to(101));
    EXPECT_DOUBLE_EQ(summary.median, 51);
    EXPECT_DOUBLE_EQ(summary.p5, 6);
    EXPECT_DOUBLE_EQ(summary.p95, 96);
    EXPECT_EQ(summary.count, 101u);
    EXPECT_TRUE(std::isnan(summarize({}).median));
    EXPECT_EQ(summarize({}).count, 0u);
}

// Ranks of the 95 % interval from tables of the sign test (for example Conover, "Practical nonparametric
// statistics", table A3): n = 6: 1 and 6; 10: 2 and 9; 20: 6 and 15; 25: 8 and 18; 100: 40 and 61.
TEST(Summarize, BoundsTheMedianByBinomialRanks) {
    EXPECT_DOUBLE_EQ(summarize(one_to(6)).median_error, (6.0 - 1) / 2);
    EXPECT_DOUBLE_EQ(summarize(one_to(10)).median_error, (9.0 - 2) / 2);
    EXPECT_DOUBLE_EQ(summarize(one_to(20)).median_error, (15.0 - 6) / 2);
    EXPECT_DOUBLE_EQ(summarize(one_to(25)).median_error, (18.0 - 8) / 2);
    EXPECT_DOUBLE_EQ(summarize(one_to(100)).median_error, (61.0 - 40) / 2);
}

TEST(Summarize, UsesTheWholeRangeForFewValues) {
    EXPECT_EQ(summarize(one_to(1)).median_error, 0);
    EXPECT_DOUBLE_EQ(summarize(one_to(2)).median_error, 0.5);
    EXPECT_DOUBLE_EQ(summarize(one_to(5)).median_error, 2);
}

TEST(Summarize, IsAccurateForManyValues) {
    // 2^-n underflows for these n. The normal approximation is accurate to about one rank.
    for (const int n : {3000, 100'000}) {
        EXPECT_NEAR(summarize(one_to(n)).median_error, 0.98 * std::sqrt(n), 1.5) << n;
    }
}

TEST(Summary, EnclosesTheMedianBetweenOrderStatistics) {
    std::vector<double> values;
    for (int i = 10; i >= 1; --i)
        values.push_back(i);
    const Summary ten = summarize(values);
    EXPECT_EQ(ten.median, 5.5);
    EXPECT_EQ(ten.low, 2);  // ranks 2 and 9: 1 - 2 (1 + 10) / 1024
    EXPECT_EQ(ten.high, 9);
    EXPECT_NEAR(ten.confidence, 1 - 22.0 / 1024, 1e-12);
    EXPECT_EQ(ten.count, 10u);
    EXPECT_EQ(ten.median_error, 3.5);

    const Summary three = summarize(std::vector<double>{3, 1, 2});
    EXPECT_EQ(three.low, 1);
    EXPECT_EQ(three.high, 3);
    EXPECT_NEAR(three.confidence, 0.75, 1e-12) << "the interval is the whole range";
    EXPECT_EQ(summarize(std::vector<double>{7}).confidence, 0);
    EXPECT_TRUE(std::isnan(summarize({}).median));
    EXPECT_GE(summarize(std::vector<double>(6, 1.0)).confidence, 0.95);
    EXPECT_GE(summarize(std::vector<double>(3000, 1.0)).confidence, 0.95);
}

TEST(Summary, RatioIncludesOneIfAndOnlyIfTheIntervalsOverlap) {
    const Summary a{.median = 100, .low = 90, .high = 110};
    for (const double factor : {0.5, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 3.0}) {
        const Summary b = scaled(a, factor);
        const Ratio b_over_a = ratio(b, a);
        EXPECT_NEAR(b_over_a.value, factor, 1e-12);
        EXPECT_EQ(are_overlapping(a, b), b_over_a.low <= 1 && 1 <= b_over_a.high) << factor;
        EXPECT_EQ(are_overlapping(a, b), are_overlapping(b, a));
    }
    EXPECT_FALSE(are_overlapping(a, summarize({})));
}

TEST(CombineRuns, UsesTheMedianOfMediansAndTheJointInterval) {
    const std::vector<Summary> runs = {
        {.median = 10, .low = 9, .high = 11, .confidence = 0.97, .count = 10},
        {.median = 14, .low = 13, .high = 15, .confidence = 0.95, .count = 20},
        {.median = 11, .low = 10, .high = 12, .confidence = 0.96, .count = 30}};
    const Summary all = combine_runs(runs);
    EXPECT_EQ(all.median, 11);
    EXPECT_EQ(all.low, 9);
    EXPECT_EQ(all.high, 15);
    EXPECT_EQ(all.median_error, 3);
    EXPECT_EQ(all.confidence, 0.95);
    EXPECT_EQ(all.count, 60U);
    EXPECT_DOUBLE_EQ(estimate_drift(runs), 1.4);
    EXPECT_EQ(estimate_drift(std::span(runs).first(1)), 1);
    EXPECT_FALSE(are_overlapping(runs[0], runs[1]));
    EXPECT_TRUE(are_overlapping(widen_by_drift(runs[0], estimate_drift(runs)), runs[1]));
}

}  // namespace gridstride::statistics_test

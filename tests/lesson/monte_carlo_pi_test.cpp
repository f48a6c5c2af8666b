// Tests the lesson on random points without a GPU: its generators against published numbers, its results, and
// its pictures.

#include <numbers>

#include "lesson/compute_report.h"
#include "lesson/lesson_case.h"
#include "test_includes.h"

namespace gridstride::monte_carlo_pi_test {

using namespace test;

constexpr double pi = std::numbers::pi;

const Lesson& monte_carlo_pi() {
    return *find_lesson("monte_carlo_pi");
}

Values values_of(std::uint64_t elements, std::uint64_t seeds = 1, std::uint64_t seed = 1) {
    Values values(monte_carlo_pi().parameters);
    values.set("elements", elements);
    values.set("seeds", seeds);
    values.set("seed", seed);
    return values;
}

std::vector<std::uint32_t> hits_of(const std::string& variant, const Values& values) {
    const PreparedExperiment prepared = prepare_case(monte_carlo_pi(), values, variant);
    const auto expected = prepared.task.reference({}, prepared);
    const auto hits = expected.front().reference->as<std::uint32_t>();
    return {hits.begin(), hits.end()};
}

/// Returns for each seed the distance from pi, in standard deviations of so many points.
std::vector<double> deviations(const std::string& variant, std::uint64_t elements, double factor) {
    const double part = pi / factor,
                 sigma = factor * std::sqrt(part * (1 - part) / static_cast<double>(elements));
    std::vector<double> all;
    for (const std::uint32_t hits : hits_of(variant, values_of(elements, 100)))
        all.push_back((factor * hits / static_cast<double>(elements) - pi) / sigma);
    return all;
}

// The expected counts come from a program in another language, written from the generators' published text.
TEST(MonteCarloPi, CountsMatchAnIndependentProgram) {
    EXPECT_THAT(hits_of("philox", values_of(1000, 3, 5)), ElementsAre(806, 775, 784));
    EXPECT_EQ(hits_of("one_each", values_of(1000, 3, 5)), hits_of("philox", values_of(1000, 3, 5)));
    EXPECT_EQ(hits_of("in_f32", values_of(1000, 3, 5)), hits_of("philox", values_of(1000, 3, 5)));
    EXPECT_THAT(hits_of("pcg", values_of(1000, 3, 5)), ElementsAre(790, 780, 783));
    EXPECT_THAT(hits_of("lcg", values_of(1000, 3, 5)), ElementsAre(812, 812, 812));
    EXPECT_THAT(hits_of("ball", values_of(1000, 3, 5)), ElementsAre(535, 505, 532));
    // With an odd count, the last point uses half of a generator call.
    EXPECT_THAT(hits_of("philox", values_of(7)), ElementsAre(4));
}

TEST(MonteCarloPi, BaselinesMatchTheReference) {
    for (const std::uint64_t elements : {1, 2, 7, 8, 9, 1000, 100'003})
        EXPECT_THAT(baselines_of(monte_carlo_pi(), {}, values_of(elements, 1, 5)),
                    Each(hits_of("philox", values_of(elements, 1, 5)).front()))
            << elements << " points";
    const std::vector<std::uint32_t> three = hits_of("philox", values_of(1000, 3, 5));
    EXPECT_THAT(baselines_of(monte_carlo_pi(), {}, values_of(1000, 3, 5)),
                Each(three[0] + three[1] + three[2]))
        << "all seeds";
}

TEST(MonteCarloPi, EstimatesAreDistributedAroundPi) {
    for (const auto& [variant, factor] : {std::pair("philox", 4.0), {"pcg", 4.0}, {"ball", 6.0}}) {
        const std::vector<double> all = deviations(variant, 20'000, factor);
        const auto within = std::ranges::count_if(all, [](double one) { return std::abs(one) < 1; });
        EXPECT_NEAR(static_cast<double>(within), 68, 4 * 4.7) << variant;
        for (const double one : all)
            EXPECT_LT(std::abs(one), 4) << variant;
        EXPECT_LT(std::abs(std::accumulate(all.begin(), all.end(), 0.0)), 4 * 10) << variant;
    }
    // Over 16 periods of the bad generator, every seed gives the same result, and it is not pi.
    const std::vector<double> bad = deviations("lcg", 16 * 65537, 4);
    EXPECT_EQ(*std::ranges::min_element(bad), *std::ranges::max_element(bad));
}

TEST(MonteCarloPi, MorePointsOfTheBadGeneratorDoNotHelp) {
    const auto once = hits_of("lcg", values_of(65537)), often = hits_of("lcg", values_of(256 * 65537));
    EXPECT_EQ(often.front(), 256 * once.front());
    EXPECT_GT(std::abs(4.0 * once.front() / 65537 - pi), 3 * 1.6422 / std::sqrt(256 * 65537));
}

TEST(MonteCarloPi, ReportsErrorsInStandardDeviations) {
    const std::vector<std::uint32_t> hits = {7854, 7800, 7900};
    const std::vector<Fact> facts =
        facts_of(monte_carlo_pi(), values_of(10'000, 3), {{"hits", array_of(hits)}});
    EXPECT_DOUBLE_EQ(number_of(facts, "estimate"), 3.1416);
    EXPECT_EQ(number_of(facts, "hits"), 7854);
    EXPECT_NEAR(number_of(facts, "sigma"), 0.016422, 1e-6);
    const double errors[] = {3.1416 - pi, 3.12 - pi, 3.16 - pi};
    EXPECT_NEAR(number_of(facts, "error"),
                std::sqrt((errors[0] * errors[0] + errors[1] * errors[1] + errors[2] * errors[2]) / 3),
                1e-12);
    EXPECT_NEAR(number_of(facts, "farthest"), -errors[1] / 0.016422, 1e-3);
    EXPECT_EQ(number_of(facts, "within"), 1);
}

TEST(MonteCarloPi, EachSeedHasItsOwnLaunch) {
    const Plan plan = plan_of(monte_carlo_pi(), values_of(1000, 20, 4294967290), "philox");
    const std::vector<const Dispatch*> launches = dispatches(plan);
    ASSERT_EQ(launches.size(), 20u);
    EXPECT_THAT(launches[0]->push, ElementsAre(4294967290, 0));
    EXPECT_THAT(launches[7]->push, ElementsAre(1, 7)) << "seeds wrap to 0";
    EXPECT_EQ(plan.min_bytes, 80u);
    EXPECT_EQ(uploaded_bytes(plan), 0u);
    EXPECT_FALSE(prepare_case(monte_carlo_pi(), values_of(1u << 30, 5), "philox").is_valid());
    EXPECT_TRUE(prepare_case(monte_carlo_pi(), values_of(1u << 30, 4), "philox").is_valid());
}

TEST(MonteCarloPi, PlansAreValidForOddLaunches) {
    for_each_launch(
        monte_carlo_pi(), {software_device(), large_gpu()},
        {{1, 2, 3, 1000, 1 << 24, 1 << 30}, {1, 32, 96, 1024}, {0, 1, 3, 65535}},
        [](const std::string& variant, const Limits& limits, const Launch& launch) {
            const PreparedExperiment prepared =
                prepare_case(monte_carlo_pi(), values_with(monte_carlo_pi(), launch), variant, limits);
            require_valid(prepared);
            expect_sound(prepared);
            for (const Slice& slice : slice(prepared.plan.main(), prepared.plan.buffers, limits).slices)
                EXPECT_EQ(slice.first % prepared.variant->per_invocation, 0u) << "a slice splits a pair";
        });
}

// f32 may decide differently only for points this near to the circle.
TEST(MonteCarloPi, OnlyF32VariantsHaveATolerance) {
    const auto tolerance = [](const char* variant, std::uint64_t elements) {
        const PreparedExperiment prepared = prepare_case(monte_carlo_pi(), values_of(elements), variant);
        return prepared.task.reference({}, prepared).front().tolerance.absolute;
    };
    EXPECT_EQ(tolerance("philox", 1 << 22), 0);
    EXPECT_EQ(tolerance("in_f32", 1000), 0);
    // A ring of width 2^-20 in the squared radius covers pi / 4 * 2^-20 of the square: 3 of 2^22 points.
    EXPECT_LE(tolerance("in_f32", 1 << 22), 12);
    EXPECT_GT(tolerance("in_f32", 1 << 24), 0);
    EXPECT_LE(tolerance("ball", 1 << 20), 12);
}

std::vector<Plot> pictures_of(const Values& values, const std::vector<const Report*>& history = {}) {
    const PreparedExperiment prepared = prepare_case(monte_carlo_pi(), values, "philox");
    const Report report = compute_report(prepared);
    return make_plots({prepared, &report, history, nullptr});
}

TEST(MonteCarloPi, PictureShowsTheCountedPoints) {
    const std::vector<Plot> plots = pictures_of(values_of(700));
    const Plot& plot = *plot_of(plots, "points");
    EXPECT_EQ(plot.origin, Origin::computed);
    EXPECT_EQ(plot.note, "") << "no run has an estimate";
    Report run = finished_run(monte_carlo_pi(), values_of(10'000), "philox");
    const std::vector<std::uint32_t> hits = {7854};
    run.outputs = {{"hits", array_of(hits)}};
    const PreparedExperiment prepared = prepare_case(monte_carlo_pi(), values_of(10'000), "philox");
    const std::vector<Plot> measured = make_plots({prepared, &run});
    EXPECT_THAT(plot_of(measured, "points")->note, HasSubstr("π = 3.142 ± 0.016 (one standard deviation)"));
    const auto& figure = std::get<Figure>(plot.content);
    EXPECT_TRUE(figure.equal_aspect);
    EXPECT_EQ(figure.series[0].y.size(), hits_of("philox", values_of(700)).front());
    EXPECT_EQ(figure.series[0].y.size() + figure.series[1].y.size(), 700u);
    const auto first = content_of<Figure>(pictures_of(values_of(5000)), "points");
    EXPECT_EQ(first.series[0].y.size() + first.series[1].y.size(), 900u);
}

TEST(MonteCarloPi, PictureShowsTheIntervalsOfEstimates) {
    const std::vector<Plot> plots = pictures_of(values_of(10'000, 20, 9));
    const auto figure = content_of<Figure>(plots, "estimates");
    std::size_t count = 0;
    for (const Series& series : figure.series)
        for (std::size_t i = 0; i < series.y.size(); ++i, ++count) {
            EXPECT_NEAR(series.y_high[i] - series.y[i], 2 * 0.016422, 1e-6);
            EXPECT_EQ(series.y_low[i] <= pi && pi <= series.y_high[i],
                      series.color_role == ColorRole::upload);
        }
    EXPECT_EQ(count, 20u);
    EXPECT_EQ(figure.markers.front().x, pi);
    EXPECT_TRUE(figure.markers.front().is_on_y);
}

TEST(MonteCarloPi, ErrorPictureShowsTheStandardDeviation) {
    std::vector<Report> runs = {finished_run(monte_carlo_pi(), values_of(1000), "philox"),
                                finished_run(monte_carlo_pi(), values_of(4000), "pcg")};
    for (Report& run : runs)
        run.result = {{"error", "", 0.25}};
    const std::vector<Plot> plots = pictures_of(values_of(1000), history_of(runs));
    const auto figure = content_of<Figure>(plots, "error");
    ASSERT_EQ(figure.series.size(), 3u);
    EXPECT_THAT(figure.series[2].x, ElementsAre(1000)) << "only the variant of the bench";
    EXPECT_THAT(figure.series[2].y, ElementsAre(0.25));
    const Series& sigma = figure.series[0];
    EXPECT_NEAR(sigma.y.back() * std::sqrt(sigma.x.back()), 1.6422, 1e-4);
    EXPECT_NEAR(sigma.y.front(), 1.6422, 1e-4);
}

}  // namespace gridstride::monte_carlo_pi_test

// Tests the plot that compares the runs that decided a question.
#include "lesson/metrics.h"
#include "present/figures.h"
#include "present/run_times.h"
#include "test_includes.h"

namespace gridstride::comparison_test {

Report make_run(std::string variant, std::uint64_t workgroup_size, std::vector<double> kernel_ns) {
    Report report;
    report.status = Status::ok;
    report.experiment = default_experiment(*find_lesson("reduction"));
    report.experiment.variant = std::move(variant);
    report.experiment.values.set("workgroup_size", workgroup_size);
    report.timings.kernel.samples = std::move(kernel_ns);
    return report;
}

TEST(Comparison, ShowsMediansWithIntervals) {
    const Report slow =
        make_run("tree_interleaved", 128, {100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110});
    const Report fast = make_run("tree_sequential", 128, {50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60});
    PredictBlock question;
    question.value = {{"kernel_ns", 2}, RunMetric{"kernel_ns", 1}};
    const Report* runs[] = {&slow, &fast};
    const auto plot = comparison_plot(question, runs);
    ASSERT_TRUE(plot.has_value());
    EXPECT_EQ(plot->id, "comparison");
    EXPECT_EQ(plot->origin, Origin::measured);
    const auto& figure = std::get<Figure>(plot->content);
    EXPECT_THAT(figure.x.categories, ElementsAre("tree_interleaved", "tree_sequential"));
    EXPECT_EQ(figure.y.unit, "ns");
    ASSERT_EQ(figure.series.size(), 1U);
    const Series& kernel = figure.series.front();
    EXPECT_THAT(kernel.y, ElementsAre(105, 55));
    ASSERT_EQ(kernel.y_low.size(), 2U);
    EXPECT_LT(kernel.y_low[0], 105);
    EXPECT_GT(kernel.y_high[0], 105);
    EXPECT_GT(kernel.y_low[0], kernel.y_high[1]) << "the intervals do not overlap";
}

/// Each time of a run has the same name and colour in all plots.
TEST(Comparison, NamesATimeLikeTheTimeBreakdown) {
    Report run = make_run("tree_sequential", 128, {30});
    run.timings.upload.samples = {10};
    run.timings.download.samples = {20};
    run.timings.wall.samples = {100};
    const Plot picture = time_breakdown_plot(run);
    std::set<std::string_view> names;
    for (const Series& part : std::get<Figure>(picture.content).series) {
        const auto time = std::ranges::find(run_times, part.label, &RunTime::name);
        ASSERT_NE(time, std::end(run_times)) << part.label;
        EXPECT_EQ(time->color_role, part.color_role);
        names.insert(time->name);
        PredictBlock question;
        question.value = {{std::string(time->metric), 1}, RunMetric{std::string(time->metric), 2}};
        const Report* runs[] = {&run, &run};
        const auto comparison = comparison_plot(question, runs);
        ASSERT_TRUE(comparison) << time->metric;
        const auto& figure = std::get<Figure>(comparison->content);
        EXPECT_EQ(figure.y.label, time->name);
        EXPECT_EQ(figure.series.front().color_role, time->color_role);
    }
    EXPECT_EQ(names.size(), 4U);
}

TEST(Comparison, NeedsTwoRunsWithTheMetric) {
    const Report run = make_run("tree_sequential", 128, {50, 51});
    const Report none = make_run("tree_sequential", 64, {});
    PredictBlock question;
    question.value = {{"kernel_ns", 1}, std::nullopt};
    const Report* one[] = {&run};
    EXPECT_FALSE(comparison_plot(question, one).has_value());
    const Report* two[] = {&run, &none};
    EXPECT_FALSE(comparison_plot(question, two).has_value());
}

TEST(Comparison, TraceMetricsHaveTheOriginTraced) {
    Report few = make_run("tree_sequential", 128, {}), many = make_run("tree_sequential", 64, {});
    few.trace_metrics = {{"races", Estimate{3, 3, 3}, ""}};
    many.trace_metrics = {{"races", Estimate{512, 512, 512}, ""}};
    PredictBlock question;
    question.value = {{"races", 1}, RunMetric{"races", 2}};
    const Report* runs[] = {&few, &many};
    const auto plot = comparison_plot(question, runs);
    ASSERT_TRUE(plot.has_value());
    EXPECT_EQ(plot->origin, Origin::traced);
}

TEST(Comparison, HasABarForEachItem) {
    Report run = make_run("tree_sequential", 128, {50, 51, 52});
    run.timings.upload.samples = {10, 11, 12};
    PredictBlock question;
    question.items = {{"up", {{"upload_ns", 1}, std::nullopt}},
                      {"compute", {{"kernel_ns", 1}, std::nullopt}}};
    const Report* runs[] = {&run};
    const auto plot = comparison_plot(question, runs);
    ASSERT_TRUE(plot.has_value());
    const auto& figure = std::get<Figure>(plot->content);
    EXPECT_THAT(figure.x.categories, ElementsAre("up", "compute"));
    EXPECT_THAT(figure.series.front().y, ElementsAre(11, 51));
    EXPECT_THAT(figure.series.front().color_roles, ElementsAre(ColorRole::upload, ColorRole::kernel));
    EXPECT_EQ(figure.y.label, "time");
}

TEST(Comparison, ClampsIntervalsAtZero) {
    Report run = make_run("tree_sequential", 128, {50, 80, 52, 90, 54, 60, 51, 70, 55, 58});
    run.timings.wall.samples = {60, 61, 62, 95, 58, 59, 60, 88, 64, 66};
    PredictBlock question;
    question.items = {{"kernel", {{"kernel_ns", 1}, std::nullopt}}, {"rest", {{"rest_ns", 1}, std::nullopt}}};
    ASSERT_LT(estimate(run, "rest_ns")->low, 0) << "the intervals of the parts and of the total overlap";
    const Report* runs[] = {&run};
    const auto plot = comparison_plot(question, runs);
    ASSERT_TRUE(plot.has_value());
    EXPECT_EQ(std::get<Figure>(plot->content).series.front().y_low.at(1), 0);
}

TEST(Comparison, NamesRunsByTheirDifference) {
    const Report a = make_run("tree_sequential", 64, {1}), b = make_run("tree_sequential", 256, {1});
    Report c = make_run("atomic_global", 256, {1});
    c.experiment.values.set("elements", std::uint64_t{1'000'000});
    const Report* sizes[] = {&a, &b};
    EXPECT_THAT(run_names(sizes),
                ElementsAre("workgroup size 64 invocations", "workgroup size 256 invocations"));
    const Report* same[] = {&a, &a};
    EXPECT_THAT(run_names(same), ElementsAre("run 1", "run 2"));
    const Report* other[] = {&b, &c};
    EXPECT_THAT(run_names(other)[1], HasSubstr("atomic_global, 1\u2009000\u2009000 elements"));
}

}  // namespace gridstride::comparison_test

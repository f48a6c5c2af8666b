// Tests the lesson on races without a GPU: its reference, its results, and the picture of a counter.

#include "lesson/analyzed_trace.h"
#include "lesson/compute_report.h"
#include "lesson/lesson_case.h"
#include "lesson/metrics.h"
#include "test_includes.h"
#include "trace/trace_builder.h"

namespace gridstride::race_condition_test {

using namespace test;

const Lesson& race_condition() {
    return *find_lesson("race_condition");
}

Values values_of(std::uint64_t elements, std::uint64_t runs) {
    Values values(race_condition().parameters);
    values.set("elements", elements);
    values.set("runs", runs);
    return values;
}

Outputs make_outputs(const char* name, std::vector<std::uint32_t> numbers) {
    return {{name, array_of(numbers)}};
}

TEST(RaceCondition, EachRepetitionHasItsOwnLaunchAndCounter) {
    const Plan plan = plan_of(race_condition(), values_of(4096, 100), "atomic");
    const std::vector<const Dispatch*> launches = dispatches(plan);
    ASSERT_EQ(launches.size(), 100u);
    EXPECT_THAT(launches[7]->push, ElementsAre(7));
    EXPECT_EQ(launches[7]->label, "Atomic addition, repetition 7");
    EXPECT_EQ(plan.buffers.front().elements(), 100u);
}

TEST(RaceCondition, ReportsTheDistributionOfCounts) {
    const std::vector<Fact> facts =
        facts_of(race_condition(), values_of(64, 5), make_outputs("counts", {8, 64, 8, 63, 64}));
    EXPECT_EQ(number_of(facts, "count"), 8);
    EXPECT_EQ(number_of(facts, "least"), 8);
    EXPECT_EQ(number_of(facts, "most"), 64);
    EXPECT_EQ(number_of(facts, "different"), 3);
    EXPECT_EQ(number_of(facts, "incomplete"), 3);
    EXPECT_EQ(number_of(facts, "lost"), 56);
}

TEST(RaceCondition, ReportsMomentsOnlyIfBothInvocationsRan) {
    const std::vector<Fact> facts = facts_of(race_condition(), values_of(2, 1),
                                             make_outputs("moments", {1, 0, 2, 0, 3, 0, 0, 1, 0, 2, 0, 3}));
    EXPECT_EQ(number_of(facts, "a_reads"), 1);
    EXPECT_EQ(number_of(facts, "b_writes"), 6);
    EXPECT_EQ(number_of(facts, "last_load"), 2);
    EXPECT_EQ(number_of(facts, "first_store"), 5);
    Report report;
    report.result = facts;
    const auto reads = estimate(report, "a_reads"), others = estimate(report, "b_reads"),
               adds = estimate(report, "a_adds");
    EXPECT_GT(reads->high, others->low) << "the ticket is taken after the load, so either may be first";
    EXPECT_LT(reads->high, adds->low);
    EXPECT_TRUE(facts_of(race_condition(), values_of(1, 1),
                         make_outputs("moments", {1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0}))
                    .empty());
}

TEST(RaceCondition, ReferenceSmoothsTheRow) {
    const Input input = make_outputs("numbers", {8, 0, 100, 3});
    const PreparedExperiment prepared = prepare_case(race_condition(), values_of(4, 1), "two_arrays");
    const auto expected = prepared.task.reference(input, prepared);
    EXPECT_THAT(expected.front().reference->as<std::uint32_t>(), ElementsAre(6, 27, 50, 27));
    const PreparedExperiment to_make = prepare_case(race_condition(), values_of(4, 1), "smallest");
    const auto smallest = to_make.task.reference(input, to_make);
    EXPECT_THAT(smallest.front().reference->as<std::uint32_t>(), ElementsAre(0, 0, 0, 3));
}

TEST(RaceCondition, DistributionExtendsToTheExpectedCount) {
    const Values values = values_of(64, 3);
    const PreparedExperiment prepared = prepare_case(race_condition(), values, "plain");
    Report report = finished_run(race_condition(), values, "plain");
    report.outputs = make_outputs("counts", {8, 8, 16});
    const auto figure = content_of<Figure>(make_plots({prepared, &report}), "distribution");
    ASSERT_EQ(figure.series.size(), 1u);
    const std::vector<double>& bars = figure.series[0].y;
    EXPECT_EQ(bars.front(), 2);
    EXPECT_EQ(std::accumulate(bars.begin(), bars.end(), 0.0), 3);
    EXPECT_GE(figure.series[0].x.back(), 62);
    ASSERT_EQ(figure.markers.size(), 1u);
    EXPECT_EQ(figure.markers[0].x, 64);
    report.outputs = make_outputs("counts", {80, UINT32_MAX, 80});
    EXPECT_LE(content_of<Figure>(make_plots({prepared, &report}), "distribution").series[0].y.size(), 49U)
        << "a kernel of the student's own counts further than it should";
}

/// Three invocations: two read 0 and write 1, one reads 1 and writes 2.
std::shared_ptr<AnalyzedTrace> two_of_three_counted() {
    trace::test::TraceBuilder builder({3}, {1});
    trace::Site site = trace::test::bound(trace::SiteKind::load, 7);
    site.variable = "counts";
    const std::uint32_t reads = builder.add(site);
    site.kind = trace::SiteKind::store;
    const std::uint32_t writes = builder.add(site);
    for (const std::uint32_t who : {0u, 1u, 2u}) {
        builder.at(0, who, reads, 0, {who == 1 ? 1u : 0u});
        builder.at(0, who, writes, 0, {who == 1 ? 2u : 1u});
    }
    auto analyzed_trace = std::make_shared<AnalyzedTrace>();
    auto report = std::make_shared<Report>();
    report->trace = builder.build();
    report->trace->buffers.front().name = "counts";
    analyzed_trace->records = trace::decode_records(*report->trace);
    analyzed_trace->report = std::move(report);
    return analyzed_trace;
}

TEST(RaceCondition, StaffPictureHighlightsLostWrites) {
    const PreparedExperiment prepared = prepare_case(race_condition(), values_of(3, 1), "plain");
    const auto traced = two_of_three_counted();
    const std::vector<Plot> plots = make_plots({prepared, nullptr, {}, traced.get()});
    const Plot& staff = *plot_of(plots, "staff");
    EXPECT_EQ(staff.origin, Origin::traced);
    EXPECT_THAT(staff.note, Mentions(2, "same value"));
    const auto& cells = std::get<Cells>(staff.content);
    ASSERT_EQ(cells.rows.size(), 2u);
    const Cells::Row &reads = cells.rows[0], &writes = cells.rows[1];
    EXPECT_THAT(reads.cell_texts, ElementsAre("0", "0", "", "", "1", "")) << "both read before anyone writes";
    EXPECT_THAT(writes.cell_texts, ElementsAre("", "", "1", "1", "", "2"));
    EXPECT_EQ(writes.hover_texts[3], "invocation 2 writes 1");
    ASSERT_EQ(writes.kinds.size(), 6u);
    EXPECT_EQ(cells.kinds[writes.kinds[2]].color_role, ColorRole::wrong) << "a lost count";
    EXPECT_EQ(cells.kinds[writes.kinds[3]].color_role, ColorRole::wrong);
    EXPECT_EQ(cells.kinds[writes.kinds[5]].color_role, ColorRole::kernel);
}

TEST(RaceCondition, PictureNeedsNoRun) {
    const PreparedExperiment prepared = prepare_case(race_condition(), values_of(4096, 1), "plain");
    const std::vector<Plot> plots = make_plots({prepared});
    EXPECT_THAT(content_of<Cells>(plots, "one_lost").rows[1].cell_texts,
                ElementsAre("", "", "42", "42", "", "43", "", "44"));
    EXPECT_EQ(plot_of(plots, "one_lost")->origin, Origin::modelled);
}

}  // namespace gridstride::race_condition_test

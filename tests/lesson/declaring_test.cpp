// Tests the helpers that declare lessons: rows of variants, remarks and notes with values, plans, curves and
// lanes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "figures/lesson_headers.h"
#include "lesson/lesson_case.h"

namespace gridstride::test {
namespace {

using testing::ElementsAre, testing::IsEmpty;

struct Facts {
    std::uint64_t passes = 1;
};

using RunOfRows = Run<Facts>;

Lesson two_rows() {
    const BasicTask<Run<Facts>> lesson_task = {.result = [](const Run<Facts>& run, const Outputs&) {
        return std::vector<Fact>{{"passes", "Passes", run.facts.passes}};
    }};
    const std::vector<Row<Facts>> rows = {{{"plain", "Plain", "Nothing is special."}},
                                          {{"other", "Other", "Everything is."},
                                           {.passes = 3},
                                           {.kernel = "x/y.comp",
                                            .per_invocation = 4,
                                            .uses_subgroups = true,
                                            .wrong_on_purpose = true,
                                            .has_baseline = false,
                                            .task = {.remarks = [](Remarks& add, const Run<Facts>& run) {
                                                add.note(std::to_string(run.facts.passes));
                                            }}}}};
    return with_variants<Facts>({.id = "rows", .title = "Rows"}, lesson_task, rows,
                                {{{"made", "Made", "By students."}}});
}

TEST(LessonDeclaration, VariantRowDerivesDefaultsFromItsName) {
    const Lesson lesson = two_rows();
    const Variant &plain = lesson.variants[0], &other = lesson.variants[1], &exercise = lesson.exercises[0];
    EXPECT_EQ(lesson.default_variant, "plain");
    EXPECT_EQ(plain.kernel, "rows/plain.comp");
    EXPECT_EQ(plain.per_invocation, 1U);
    EXPECT_TRUE(plain.has_baseline);
    EXPECT_FALSE(plain.uses_subgroups || plain.wrong_on_purpose || plain.task.remarks);
    EXPECT_EQ(other.title + ": " + other.summary, "Other: Everything is.");
    EXPECT_EQ(other.kernel, "x/y.comp");
    EXPECT_EQ(other.per_invocation, 4U);
    EXPECT_FALSE(other.has_baseline);
    EXPECT_TRUE(other.uses_subgroups && other.wrong_on_purpose && other.task.remarks);
    EXPECT_EQ(RunOfRows::get_facts(other).passes, 3U);
    EXPECT_EQ(exercise.kernel + " " + exercise.solution, "rows/made_start.comp rows/made.comp");
}

TEST(LessonDeclaration, RemarksAndRefusalsFormatTheirValues) {
    Remarks add;
    add.note(key::seed, "plain {}");
    add.caution(key::seed, "{} of {:.2f}", 3, 0.5);
    EXPECT_THAT(add.all(), ElementsAre(Remark{Severity::note, "seed", "plain {}"},
                                       Remark{Severity::caution, "seed", "3 of 0.50"}));
    EXPECT_STREQ(Refusal("Row {}: {}.", 2, "wrong").what(), "Row 2: wrong.");
}

TEST(LessonDeclaration, BuffersDefaultToF32OverTheDomain) {
    const Limits limits = software_device();
    PlanBuilder plan({100, 3}, {8, 8}, {0, 0}, 1, limits);
    plan.upload_input("x");
    plan.output("bytes", ElementType::i8);
    plan.filled_output("count", ElementType::u32, {1}, 7);
    const Plan built_plan = std::move(plan).build();
    ASSERT_EQ(built_plan.buffers.size(), 3U);
    EXPECT_EQ(built_plan.buffers[0].type, ElementType::f32);
    EXPECT_EQ(built_plan.buffers[0].shape, (Extent{100, 3}));
    EXPECT_EQ(built_plan.buffers[1].shape, (Extent{100, 3}));
    EXPECT_EQ(built_plan.buffers[1].type, ElementType::i8);
    EXPECT_EQ(built_plan.buffers[2].shape, (Extent{1}));
    ASSERT_EQ(built_plan.steps.size(), 2U);
    EXPECT_EQ(std::get<Upload>(built_plan.steps[0]).buffer, 0U);
    EXPECT_EQ(std::get<Fill>(built_plan.steps[1]).word, 7U);
    EXPECT_EQ(word(1.0F), 0x3F800000U);
}

TEST(LessonDeclaration, ParameterDefaultCanBeAnyChoice) {
    enum class Which { first, second };
    constexpr Key<Which> which{"which"};
    const Parameter parameter = choice_parameter(which, "Which", "Which.", Invalidates::launch,
                                                 {{"first", "first"}, {"second", "second"}})
                                    .by_default(Which::second);
    EXPECT_EQ(std::get<ChoiceIndex>(parameter.default_value).index, 1U);
}

TEST(LessonDeclaration, SpacedNumbersAreLinearOrLogarithmic) {
    EXPECT_THAT(spaced_numbers(-1, 1, 5), ElementsAre(-1, -0.5, 0, 0.5, 1));
    EXPECT_THAT(spaced_numbers(1, 16, 3, AxisScale::logarithmic), ElementsAre(1, 4, 16));
    EXPECT_THAT(spaced_numbers(3, 3, 1), ElementsAre(3));
}

TEST(LessonDeclaration, MaxMagnitudeCheckRefusesLargeNumbersAndNaN) {
    const NumberCheck why_not = max_magnitude_check(50, "{0} is beyond {1}.");
    EXPECT_EQ(why_not(-50), "");
    EXPECT_EQ(why_not(50.5), "50.5 is beyond 50.");
    EXPECT_EQ(why_not(std::nan("")), "nan is beyond 50.");
}

TEST(LessonDeclaration, FiguresAcceptFunctionsPointsAndNotes) {
    const PreparedExperiment run = prepare(default_experiment(*find_lesson("gaussian")), software_device());
    const PictureInput input{run};
    Figures add(input);
    Points points;
    points.add(1, 5);
    points.add(2, 6);
    add.figure("f", "F", "side", {"area", "m²", AxisScale::logarithmic})
        .line("square", {1, 3}, [](double x) { return x * x; })
        .scatter("points", points)
        .scatter("none", Points())
        .note_if(false, "{} are left out.", 3)
        .note("{} of {}.", 2, 7)
        .measured(false);
    const std::vector<Plot> plots = std::move(add).take();
    ASSERT_EQ(plots.size(), 1U);
    EXPECT_EQ(plots[0].note, "2 of 7.");
    EXPECT_EQ(plots[0].origin, Origin::computed);
    const Figure& figure = std::get<Figure>(plots[0].content);
    EXPECT_EQ(figure.x, (Axis{.label = "side"}));
    EXPECT_EQ(figure.y, (Axis{.label = "area", .unit = "m²", .scale = AxisScale::logarithmic}));
    const std::vector<Series>& series = figure.series;
    ASSERT_EQ(series.size(), 2U) << "without points there is no series";
    EXPECT_THAT(series[0].y, ElementsAre(1, 9));
    EXPECT_THAT(series[1].x, ElementsAre(1, 2));
    EXPECT_THAT(series[1].y, ElementsAre(5, 6));
}

TEST(LessonDeclaration, CellRowsTakeTheirKindsFromAFunction) {
    Cells cells;
    cells.add_row(
        "odd", 4, [](std::size_t i) { return static_cast<std::uint8_t>(i % 2); }, "2 of 4");
    ASSERT_EQ(cells.rows.size(), 1U);
    EXPECT_EQ(cells.rows[0].label + ", " + cells.rows[0].note, "odd, 2 of 4");
    EXPECT_THAT(cells.rows[0].kinds, ElementsAre(0, 1, 0, 1));
    EXPECT_THAT(cells.rows[0].cell_texts, IsEmpty());
}

}  // namespace
}  // namespace gridstride::test

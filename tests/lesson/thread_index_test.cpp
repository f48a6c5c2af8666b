// Tests the lesson on thread indices without a GPU: the launched invocations, the remarks on a launch, and
// the results.

#include "lesson/compute_report.h"
#include "lesson/lesson_case.h"
#include "test_includes.h"

namespace gridstride::thread_index_test {

using namespace test;

constexpr std::uint32_t untouched = UINT32_MAX;

const Lesson& thread_index() {
    return *find_lesson("thread_index");
}

struct Setting {
    std::uint64_t width = 4096, height = 1;
    Extent workgroup = {128, 1};
    Extent grid = {0, 1};
};

Values values_of(const Setting& setting) {
    Values values(thread_index().parameters);
    values.set("width", setting.width);
    values.set("height", setting.height);
    values.set("workgroup", setting.workgroup);
    values.set("grid", setting.grid);
    return values;
}

PreparedExperiment prepare_here(const Setting& setting, const std::string& variant) {
    return prepare_case(thread_index(), values_of(setting), variant);
}

bool is_meant_to_be_wrong(const Setting& setting, const std::string& variant) {
    return is_wrong_on_purpose(thread_index(), prepare_here(setting, variant).experiment);
}

std::string remarks_on(const Setting& setting, const std::string& variant) {
    return test::remarks_on(prepare_here(setting, variant));
}

TEST(ThreadIndex, LaunchIsWrongOnPurposeIfItDoesNotFit) {
    EXPECT_FALSE(is_meant_to_be_wrong({}, "add"));
    EXPECT_FALSE(is_meant_to_be_wrong({.grid = {32, 1}}, "add"));
    EXPECT_TRUE(is_meant_to_be_wrong({.grid = {31, 1}}, "add")) << "too few";
    EXPECT_TRUE(is_meant_to_be_wrong({.grid = {33, 1}}, "add")) << "too many, and no guard";
    EXPECT_TRUE(is_meant_to_be_wrong({.width = 1000}, "square")) << "1 000 is not a multiple of 128";
    EXPECT_FALSE(is_meant_to_be_wrong({.width = 1000}, "guarded"));
    EXPECT_FALSE(is_meant_to_be_wrong({.grid = {33, 1}}, "guarded"));
    EXPECT_TRUE(is_meant_to_be_wrong({.grid = {31, 1}}, "guarded"))
        << "a guard does not add missing invocations";
    EXPECT_TRUE(is_meant_to_be_wrong({}, "early"));
    const Setting picture{300, 200, {16, 16}};
    EXPECT_FALSE(is_meant_to_be_wrong(picture, "picture"));
    EXPECT_TRUE(is_meant_to_be_wrong(picture, "swapped"));
    EXPECT_FALSE(is_meant_to_be_wrong({200, 200, {16, 16}}, "swapped"))
        << "on a square, the result is correct";
    EXPECT_TRUE(is_meant_to_be_wrong({300, 200, {16, 16}, {19, 12}}, "picture"))
        << "a row of workgroups is missing";
    EXPECT_FALSE(is_meant_to_be_wrong(picture, "guarded")) << "auto counts along x";
}

TEST(ThreadIndex, AllocatesAnElementForEachUnguardedInvocation) {
    const PreparedExperiment too_many = prepare_here({.grid = {64, 1}}, "square");
    for (const char* const name : {"x", "results"}) {
        const auto buffer = std::ranges::find(too_many.plan.buffers, name, &BufferSpec::name);
        ASSERT_NE(buffer, too_many.plan.buffers.end());
        EXPECT_EQ(buffer->elements(), 8192u) << name << ": one element for each invocation";
    }
    EXPECT_EQ(uploaded_bytes(too_many.plan), 4u * 4096) << "only the array itself is uploaded";
    const auto expected = too_many.task.reference(thread_index().input(too_many.values()), too_many);
    const auto right = expected_of(expected, "results")->reference->as<std::uint32_t>();
    ASSERT_THAT(right, SizeIs(8192));
    EXPECT_NE(right[4095], untouched);
    EXPECT_EQ(right[4096], untouched) << "other elements are unchanged";
    EXPECT_EQ(prepare_here({.grid = {64, 1}}, "guarded").plan.buffers.front().elements(), 4096u);
}

TEST(ThreadIndex, RemarksCountMissingAndIdleInvocations) {
    EXPECT_THAT(remarks_on({.grid = {16, 1}}, "add"), Mentions(2048, 4096));
    EXPECT_THAT(remarks_on({.grid = {64, 1}}, "add"), Mentions(4096));
    EXPECT_THAT(remarks_on({300, 200, {16, 16}}, "swapped"), Mentions(18400, 60000));
    EXPECT_THAT(remarks_on({.workgroup = {32, 4}}, "guarded"), Mentions(4, "element"));
    EXPECT_THAT(remarks_on({.grid = {16, 1}}, "add"),
                HasSubstr("2\u2009048 invocations for 4\u2009096 elements."));
}

/// Returns a fact that the lesson computes from the reference's outputs.
double fact_of(const Setting& setting, const std::string& variant, const char* id) {
    return number_of(compute_report(prepare_here(setting, variant)).result, id);
}

TEST(ThreadIndex, WatchedInvocationHasItsElement) {
    EXPECT_EQ(fact_of({}, "guarded", "element"), 3 * 128 + 5);
    EXPECT_EQ(fact_of({.workgroup = {64, 1}}, "guarded", "element"), 3 * 64 + 5);
    // The grid has 19 workgroups in a row, and this is workgroup 3. Invocation 5 is in its first row of 16.
    EXPECT_EQ(fact_of({300, 200, {16, 16}}, "picture", "element"), 3 * 16 + 5);
    // The grid has two workgroups per row, so workgroup 3 is the second one of the second row.
    EXPECT_EQ(fact_of({8, 8, {4, 4}}, "picture", "element"), (4 + 1) * 8 + (4 + 1));
    EXPECT_THROW(fact_of({.width = 300, .workgroup = {128, 1}}, "guarded", "element"), std::out_of_range)
        << "there are three workgroups, 0 to 2";
}

TEST(ThreadIndex, IdleCountsInvocationsWithoutAnElement) {
    EXPECT_EQ(fact_of({.width = 1000}, "guarded", "idle"), 24);
    EXPECT_EQ(fact_of({300, 200, {16, 16}}, "picture", "idle"), 304 * 208 - 300 * 200);
    EXPECT_EQ(fact_of({.width = 100, .workgroup = {64, 2}}, "guarded", "idle"), (128 - 100) * 2);
}

TEST(ThreadIndex, ReportsUnwrittenAndOutOfBoundsElements) {
    const Setting small{.width = 6};
    const std::vector<std::uint32_t> written = {untouched, 3, untouched, untouched, 5, 6, 9, untouched};
    const std::vector<Fact> facts =
        facts_of(thread_index(), values_of(small), {{"results", array_of(written)}});
    EXPECT_EQ(number_of(facts, "untouched"), 3);
    EXPECT_EQ(number_of(facts, "stretches"), 2);
    EXPECT_EQ(number_of(facts, "foreign"), 1) << "one of the two elements after the array";
}

TEST(ThreadIndex, KernelsWithoutALoopRunInOnePass) {
    for (const Variant& variant : thread_index().variants)
        for (const Extent& grid : {Extent{0, 1}, Extent{1, 1}, Extent{3, 2}, Extent{40, 30}})
            for (const Extent& workgroup : {Extent{1, 1}, Extent{7, 1}, Extent{8, 4}, Extent{16, 16}}) {
                SCOPED_TRACE(
                    fmt::format("{}, {} workgroups of {}", variant.id, text_of(grid), text_of(workgroup)));
                const Plan plan = prepare_here({37, 29, workgroup, grid}, variant.id).plan;
                EXPECT_EQ(find_plan_error(plan), "");
                EXPECT_EQ(plan.main().passes(), 1u);
            }
}

TEST(ThreadIndex, UserPictureSetsColumnsAndRows) {
    Experiment picture_experiment = default_experiment(thread_index());
    const std::vector<std::uint32_t> greys = {0, 50, 100, 150, 200, 255};
    picture_experiment.input.numbers = array_of(greys);
    picture_experiment.input.width = 3;
    picture_experiment.variant = "picture";
    const PreparedExperiment prepared = prepare(picture_experiment, software_device());
    EXPECT_EQ(prepared.lesson->domain_extent(prepared.values()), (Extent{3, 2}));
    const Input input = thread_index().input_from_user(prepared.experiment.input, prepared.values());
    EXPECT_EQ(input.front().width, 3u);
    EXPECT_EQ(get(input, "x").number(4), 200);
    EXPECT_EQ(get(input, "y").count(), 6u);
}

TEST(ThreadIndex, ExerciseRequiresAnInvocationPerElement) {
    EXPECT_TRUE(prepare_here({300, 200, {16, 16}}, "square_each").is_valid());
    EXPECT_THAT(remarks_on({300, 200, {16, 16}, {3, 2}}, "square_each"), Mentions("cover"));
    EXPECT_FALSE(prepare_here({300, 200, {16, 16}, {3, 2}}, "square_each").is_valid());
}

}  // namespace gridstride::thread_index_test

// Tests how a program is prepared: its source, its plan and reference, and its diagnostics.

#include "lesson/compute_report.h"
#include "lesson/lesson_case.h"
#include "present/compare.h"
#include "programs/doubling.h"
#include "test_includes.h"

namespace gridstride::prepare_test {

using testing::Field;

PreparedExperiment prepare_for_test_device(Experiment experiment) {
    return prepare(std::move(experiment), test::software_device());
}

std::vector<float> compute_reference(const Experiment& experiment) {
    const Report report = compute_report(prepare_for_test_device(experiment));
    const auto numbers = report.outputs.front().array->as<float>();
    return {numbers.begin(), numbers.end()};
}

TEST(Program, DefaultsToTheShippedProgramOfTheVariant) {
    const PreparedExperiment prepared = prepare_for_test_device(test::doubling());
    ASSERT_TRUE(prepared.is_valid());
    EXPECT_EQ(prepared.program.name, "twice.doubling");
    EXPECT_EQ(prepared.program.folder, data_directory() / "shaders/doubling");
    EXPECT_THAT(prepared.program.text, HasSubstr("take 4\n"));
    EXPECT_EQ(prepared.kernel_file(), "doubling/twice.doubling");
}

TEST(Program, DeterminesThePlanTheInputAndTheReference) {
    EXPECT_THAT(compute_reference(test::doubling()), ElementsAre(0, 4, 8, 12));
    EXPECT_THAT(compute_reference(test::doubling("take 3\ndouble\n")), ElementsAre(0, 2, 4));
    const PreparedExperiment prepared =
        prepare_for_test_device(test::doubling("take 3\ndouble\nsave d.npy\n"));
    EXPECT_EQ(prepared.elements(), 3u);
    ASSERT_EQ(prepared.plan.files.size(), 1u);
    EXPECT_EQ(prepared.plan.files.front().file, "d.npy");
    EXPECT_FALSE(prepared.user_kernel()) << "a program is not a user kernel";
}

TEST(Program, ReportsAllWrongLinesTogether) {
    const PreparedExperiment prepared =
        prepare_for_test_device(test::doubling("take none\ndouble\ntriple\n"));
    EXPECT_THAT(
        prepared.diagnostics,
        ElementsAre(AllOf(Field(&Diagnostic::line, 1), Field(&Diagnostic::text, HasSubstr("\"none\""))),
                    AllOf(Field(&Diagnostic::line, 3), Field(&Diagnostic::text, HasSubstr("\"triple\"")))));
    EXPECT_THAT(prepared.remarks, ElementsAre(Field(&Remark::text, Mentions(1, "none")),
                                              Field(&Remark::text, HasSubstr("Line 3: \"triple\" is not"))));
    EXPECT_FALSE(prepared.is_valid());
    try {
        require_valid(prepared);
        ADD_FAILURE() << "an invalid program is accepted";
    } catch (const ProgramError& error) {
        EXPECT_EQ(error.diagnostics, prepared.diagnostics);
    }
}

TEST(Program, RefusesAnyInvalidTextWithAMessage) {
    std::string bytes;
    for (int i = 0; i < 4096; ++i)
        bytes += static_cast<char>(i * 37);
    for (const std::string& text : {std::string(), std::string("\n\n// nothing"), bytes}) {
        const PreparedExperiment prepared = prepare_for_test_device(test::doubling(text));
        EXPECT_FALSE(prepared.is_valid());
        EXPECT_FALSE(prepared.diagnostics.empty());
    }
    std::string lines;
    for (int i = 0; i < 5000; ++i)
        lines += "x\n";
    const PreparedExperiment many = prepare_for_test_device(test::doubling(lines));
    ASSERT_EQ(many.diagnostics.size(), 101u);
    EXPECT_EQ(many.diagnostics.back().line, 0u);
    EXPECT_THAT(many.diagnostics.back().text, Mentions(4900));
    const PreparedExperiment large =
        prepare_for_test_device(test::doubling(std::string(std::size_t{4} << 20, '\n')));
    EXPECT_THAT(large.remarks,
                ElementsAre(Field(&Remark::text, HasSubstrs("mine.doubling has 4", "65 536"))));
    Lesson broken = lessons::doubling::lesson();
    broken.variants.front().kernel = "doubling/gone.doubling";
    const PreparedExperiment missing = prepare(broken, test::doubling(), test::software_device());
    EXPECT_THAT(missing.remarks, ElementsAre(Field(&Remark::text, HasSubstr("gone.doubling"))));
}

TEST(Program, RunsOfDifferentProgramsAreNotComparable) {
    const Experiment shipped = test::doubling(), user = test::doubling("take 3\ndouble\n"),
                     changed = test::doubling("take 3\ndouble\ndouble\n");
    Experiment once = shipped;
    once.variant = "once";
    EXPECT_FALSE(find_work_mismatch(shipped, shipped));
    EXPECT_FALSE(find_work_mismatch(user, user));
    for (const auto& [current, other] :
         {std::pair(shipped, user), {user, shipped}, {user, changed}, {shipped, once}}) {
        ASSERT_TRUE(find_work_mismatch(current, other));
        EXPECT_EQ(find_work_mismatch(current, other)->label, "another program");
    }
    EXPECT_TRUE(same_expected_results(user, user));
    EXPECT_FALSE(same_expected_results(user, changed));
    // Tables of runs need the program to distinguish runs.
    Report report;
    report.experiment = user;
    report.drop_arrays();
    EXPECT_EQ(report.experiment, user);
}

}  // namespace gridstride::prepare_test

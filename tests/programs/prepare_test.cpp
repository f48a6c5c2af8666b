// A program is made ready: where it comes from, what follows from it, and what is wrong with it.

#include "lesson/compute_report.h"
#include "lesson/lesson_case.h"
#include "present/compare.h"
#include "programs/doubling.h"
#include "test_includes.h"

namespace gridstride::prepare_test {

using testing::Field;

PreparedExperiment prepare_here(Experiment experiment) {
    return prepare(std::move(experiment), test::software_device());
}

std::vector<float> right_answer(const Experiment& experiment) {
    const Report report = compute_report(prepare_here(experiment));
    const auto numbers = report.outputs.front().array->as<float>();
    return {numbers.begin(), numbers.end()};
}

TEST(Program, OfTheVariantIsTheOneThatShips) {
    const PreparedExperiment prepared = prepare_here(test::doubling());
    ASSERT_TRUE(prepared.valid());
    EXPECT_EQ(prepared.program.name, "twice.doubling");
    EXPECT_EQ(prepared.program.folder, data_directory() / "shaders/doubling");
    EXPECT_THAT(prepared.program.text, HasSubstr("take 4\n"));
    EXPECT_EQ(prepared.kernel_file(), "doubling/twice.doubling");
}

TEST(Program, PlanInputAndReferenceFollowFromIt) {
    EXPECT_THAT(right_answer(test::doubling()), ElementsAre(0, 4, 8, 12));
    EXPECT_THAT(right_answer(test::doubling("take 3\ndouble\n")), ElementsAre(0, 2, 4));
    const PreparedExperiment prepared = prepare_here(test::doubling("take 3\ndouble\nsave d.npy\n"));
    EXPECT_EQ(prepared.elements(), 3u);
    ASSERT_EQ(prepared.plan.files.size(), 1u);
    EXPECT_EQ(prepared.plan.files.front().file, "d.npy");
    EXPECT_FALSE(prepared.user_kernel()) << "a program takes no kernel's place";
}

TEST(Program, EveryWrongLineIsToldAtOnce) {
    const PreparedExperiment prepared = prepare_here(test::doubling("take none\ndouble\ntriple\n"));
    EXPECT_THAT(
        prepared.diagnostics,
        ElementsAre(AllOf(Field(&Diagnostic::line, 1), Field(&Diagnostic::text, HasSubstr("\"none\""))),
                    AllOf(Field(&Diagnostic::line, 3), Field(&Diagnostic::text, HasSubstr("\"triple\"")))));
    EXPECT_THAT(prepared.remarks, ElementsAre(Field(&Remark::text, Mentions(1, "none")),
                                              Field(&Remark::text, HasSubstr("Line 3: \"triple\" is not"))));
    EXPECT_FALSE(prepared.valid());
    try {
        require_valid(prepared);
        ADD_FAILURE() << "it can be run";
    } catch (const ProgramError& wrong) {
        EXPECT_EQ(wrong.diagnostics, prepared.diagnostics);
    }
}

TEST(Program, WhateverItHoldsItIsRefusedInASentence) {
    std::string bytes;
    for (int i = 0; i < 4096; ++i)
        bytes += static_cast<char>(i * 37);
    for (const std::string& text : {std::string(), std::string("\n\n// nothing"), bytes}) {
        const PreparedExperiment prepared = prepare_here(test::doubling(text));
        EXPECT_FALSE(prepared.valid());
        EXPECT_FALSE(prepared.diagnostics.empty());
    }
    std::string lines;
    for (int i = 0; i < 5000; ++i)
        lines += "x\n";
    const PreparedExperiment many = prepare_here(test::doubling(lines));
    ASSERT_EQ(many.diagnostics.size(), 101u);
    EXPECT_EQ(many.diagnostics.back().line, 0u);
    EXPECT_THAT(many.diagnostics.back().text, Mentions(4900));
    const PreparedExperiment large = prepare_here(test::doubling(std::string(std::size_t{4} << 20, '\n')));
    EXPECT_THAT(large.remarks,
                ElementsAre(Field(&Remark::text, HasSubstrs("mine.doubling has 4", "65 536"))));
    Lesson broken = lessons::doubling::lesson();
    broken.variants.front().kernel = "doubling/gone.doubling";
    const PreparedExperiment gone = prepare(broken, test::doubling(), test::software_device());
    EXPECT_THAT(gone.remarks, ElementsAre(Field(&Remark::text, HasSubstr("gone.doubling"))));
}

TEST(Program, RunsOfOthersAreNotHeldAgainstItsOwn) {
    const Experiment shipped = test::doubling(), own = test::doubling("take 3\ndouble\n"),
                     changed = test::doubling("take 3\ndouble\ndouble\n");
    Experiment once = shipped;
    once.variant = "once";
    EXPECT_FALSE(find_work_mismatch(shipped, shipped));
    EXPECT_FALSE(find_work_mismatch(own, own));
    for (const auto& [here, there] :
         {std::pair(shipped, own), {own, shipped}, {own, changed}, {shipped, once}}) {
        ASSERT_TRUE(find_work_mismatch(here, there));
        EXPECT_EQ(find_work_mismatch(here, there)->label, "another program");
    }
    EXPECT_TRUE(same_expected_results(own, own));
    EXPECT_FALSE(same_expected_results(own, changed));
    // Runs in tables are told apart by it too.
    Report kept;
    kept.experiment = own;
    kept.drop_arrays();
    EXPECT_EQ(kept.experiment, own);
}

}  // namespace gridstride::prepare_test

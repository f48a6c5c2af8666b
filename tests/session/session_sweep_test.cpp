// Sweeps in the window's session, against a lab that answers as the test says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "session/fake_lab.h"
#include "session/session.h"
#include "sweep/sweep_form.h"
#include "sweep/sweep_values.h"

namespace gridstride::ui {
namespace {

using testing::HasSubstr;

class SessionSweepTest : public testing::Test {
 protected:
    SessionSweepTest() : session_(lab_, "en") {
        session_.open(*find_lesson("reduction"), 1);
        skip_questions(session_);
        session_.set_variant("tree_sequential");
        session_.pump();
        session_.run();
        answer(last(), 900);
    }

    void answer(const lab::Request& to, double kernel_ns, Status status = Status::ok) {
        Report report = answer_to(to, status);
        report.run_id = "run" + std::to_string(to.id);
        if (status == Status::ok) report.timings.kernel.samples = std::vector<double>(6, kernel_ns);
        lab_.answers.push_back(std::move(report));
        session_.pump();
    }
    const lab::Request& last() const { return lab_.asked.back(); }
    static std::uint64_t size_of(const lab::Request& request) {
        return request.experiment.values[key::workgroup_size];
    }

    /// Four workgroup sizes of the variant on the bench.
    SweepSpec four_sizes(const std::string& text = "32,64,128,256") {
        SweepForm form;
        form.parameters[0] = "workgroup_size";
        form.texts["workgroup_size"] = text;
        form.samples = "6";
        return examine_form(form, *session_.asked()).spec.value();
    }

    FakeLab lab_;
    Session session_;
};

TEST_F(SessionSweepTest, RunsCellByCellAndLeavesTheBenchAlone) {
    EXPECT_EQ(session_.sweep_state(), SweepState::none);
    const std::uint64_t before = session_.revision();
    session_.start_sweep(four_sizes());
    EXPECT_EQ(session_.sweep_state(), SweepState::running);
    for (int i = 0; i < 4; ++i)
        answer(last(), 100.0 * static_cast<double>(size_of(last())));
    EXPECT_EQ(session_.sweep()->progress().done, 4U);
    EXPECT_EQ(session_.sweep_state(), SweepState::running) << "they are measured again in turn";
    for (std::size_t i = 0; i < 4 * rounds_again; ++i)
        answer(last(), 100.0 * static_cast<double>(size_of(last())));
    EXPECT_EQ(session_.sweep_state(), SweepState::done);
    EXPECT_EQ(session_.sweep_reports().size(), 4 + 4 * rounds_again) << "an export has them all";
    EXPECT_EQ(session_.history().size(), 1U) << "they would flood the table";
    EXPECT_EQ(session_.revision(), before) << "the bench's pictures are not made anew";
    EXPECT_FALSE(session_.stale());
}

TEST_F(SessionSweepTest, ABenchChangeGoesFirstAndTheSweepGoesOnByItself) {
    session_.start_sweep(four_sizes());
    const lab::Request cell = last();
    session_.set_value("workgroup_size", std::uint64_t{512});
    EXPECT_EQ(size_of(last()), 512U);
    EXPECT_FALSE(session_.sweep()->in_flight());
    answer(cell, 1);  // comes too late: the cell waits again
    EXPECT_EQ(session_.sweep()->progress().done, 0U);
    EXPECT_EQ(size_of(last()), 512U);
    answer(last(), 500);
    EXPECT_EQ(session_.report()->experiment.values[key::workgroup_size], 512U);
    EXPECT_EQ(last().experiment, cell.experiment) << "the same cell again, without being asked";
    EXPECT_EQ(session_.history().size(), 2U);
}

TEST_F(SessionSweepTest, StopGivesTheRunUpAndResumeRunsItAgain) {
    session_.start_sweep(four_sizes());
    answer(last(), 1);
    const lab::Request cut = last();
    session_.stop_sweep();
    EXPECT_EQ(session_.sweep_state(), SweepState::stopped);
    EXPECT_EQ(lab_.cancelled, 1);
    answer(cut, 0, Status::stopped);
    EXPECT_EQ(last().id, cut.id) << "nothing runs while it is stopped";
    EXPECT_EQ(session_.sweep()->progress().done, 1U);
    session_.resume_sweep();
    EXPECT_EQ(session_.sweep_state(), SweepState::running);
    EXPECT_NE(last().id, cut.id);
    EXPECT_EQ(last().experiment, cut.experiment);
}

TEST_F(SessionSweepTest, ARunThatWasCutShortForTheBenchRunsAgain) {
    session_.start_sweep(four_sizes());
    const lab::Request cell = last();
    Report report = answer_to(cell, Status::ok);
    report.cut_short = true;
    report.timings.kernel.samples = {5};
    lab_.answers.push_back(std::move(report));
    session_.pump();
    EXPECT_EQ(session_.sweep()->progress().done, 0U);
    EXPECT_NE(last().id, cell.id);
    EXPECT_EQ(last().experiment, cell.experiment);
}

TEST_F(SessionSweepTest, StoppingWhileTheBenchRunsDoesNotCancelTheBench) {
    session_.start_sweep(four_sizes());
    session_.set_value("workgroup_size", std::uint64_t{512});
    session_.stop_sweep();
    EXPECT_EQ(lab_.cancelled, 0);
    answer(last(), 5);
    EXPECT_EQ(session_.report()->experiment.values[key::workgroup_size], 512U);
    EXPECT_EQ(size_of(last()), 512U);
}

TEST_F(SessionSweepTest, ACellGoesToTheBenchAndRuns) {
    session_.start_sweep(four_sizes());
    for (int i = 0; i < 4; ++i)
        answer(last(), static_cast<double>(size_of(last())));
    const auto best = session_.sweep()->best();
    ASSERT_TRUE(best);
    session_.use_cell(best->cell);
    EXPECT_EQ(session_.values()[key::workgroup_size], 32U);
    EXPECT_EQ(size_of(last()), 32U);
    EXPECT_TRUE(session_.in_flight());
}

TEST_F(SessionSweepTest, AnotherLessonStopsItAndItsResultStays) {
    session_.start_sweep(four_sizes());
    answer(last(), 1);
    session_.open(*find_lesson("histogram"), 0);
    EXPECT_EQ(session_.sweep_state(), SweepState::stopped);
    EXPECT_EQ(session_.sweep()->progress().done, 1U);
    EXPECT_EQ(session_.sweep()->spec().lesson->id, "reduction");
}

TEST_F(SessionSweepTest, EveryRowIsInTheSessionsCsvAlsoOfASweepThatWasReplaced) {
    const std::size_t before = csv_row_count(session_.all_reports());
    session_.start_sweep(four_sizes());
    for (int i = 0; i < 4; ++i)
        answer(last(), 1);
    session_.start_sweep(four_sizes("16,48"));
    answer(last(), 2);
    answer(last(), 2);
    const CsvText csv = csv_of(session_.all_reports());
    EXPECT_EQ(csv.rows, before + 6 * 6);
    EXPECT_EQ(std::count(csv.text.begin(), csv.text.end(), '\n'),
              static_cast<std::ptrdiff_t>(before + 36 + 1));
    const CsvText sweep = csv_of(session_.sweep_reports());
    EXPECT_EQ(sweep.rows, 12U);
    EXPECT_EQ(std::count(sweep.text.begin(), sweep.text.end(), '\n'), 13);
}

TEST_F(SessionSweepTest, TheFormSaysWhatWouldRunAndWhatKeepsItFromRunning) {
    const Prepared& bench = *session_.asked();
    SweepForm form = first_form(bench);
    EXPECT_EQ(form.texts["workgroup_size"], "8:1024:×2");
    EXPECT_EQ(examine_form(form, bench).cells, "8 cells: 8 values × 1 variant.");

    form.texts["workgroup_size"] = "512,1024,2048";
    ExaminedForm said = examine_form(form, bench);
    EXPECT_TRUE(said.spec);
    EXPECT_THAT(said.refused, HasSubstr("One of them is refused"));
    EXPECT_THAT(said.refused, HasSubstr("maxComputeWorkGroupInvocations"));

    form.texts["workgroup_size"] = "2048,4096";
    said = examine_form(form, bench);
    EXPECT_FALSE(said.spec) << "all are refused";
    EXPECT_FALSE(said.problems.empty());

    form.texts["workgroup_size"] = "32,many";
    said = examine_form(form, bench);
    EXPECT_FALSE(said.spec);
    EXPECT_TRUE(said.axes[0].bad);
    EXPECT_THAT(said.axes[0].text, HasSubstr("many"));

    form = first_form(bench);
    form.samples = "few";
    EXPECT_FALSE(examine_form(form, bench).spec);
    EXPECT_THAT(examine_form(form, bench).samples_problem, HasSubstr("few"));
    form.samples = "6";
    form.variants = SweptVariants::some;
    EXPECT_FALSE(examine_form(form, bench).spec) << "none is ticked";
}

TEST_F(SessionSweepTest, EverySuggestionCanBeSwept) {
    for (const Lesson* lesson : all_lessons())
        for (const Parameter& parameter : lesson->parameters) {
            const Prepared bench = prepare(default_experiment(*lesson), lab_.device);
            SweepForm form;
            form.parameters[0] = parameter.id;
            form.texts[parameter.id] =
                suggested_values(parameter, bench.values().at(parameter.id), lab_.device);
            const ExaminedForm said = examine_form(form, bench);
            ASSERT_TRUE(said.spec) << lesson->id << " " << parameter.id << ": " << form.texts[parameter.id]
                                   << " " << said.axes[0].text
                                   << (said.problems.empty() ? "" : said.problems.front());
            EXPECT_LE(said.spec->axes[0].values.size(), 16U) << lesson->id << " " << parameter.id;
            EXPECT_GE(said.spec->axes[0].values.size(), 2U) << lesson->id << " " << parameter.id;
        }
}

TEST(SuggestedValues, FollowTheRangeThatTheInputGives) {
    const Lesson& lesson = *find_lesson("zero_suppression");
    const Parameter& threshold = *find(lesson.parameters, "threshold");
    const std::string text = suggested_values(threshold, std::uint64_t{15}, Limits{}, ValueRange{0, 215});
    EXPECT_EQ(text, "0:200:50");
    EXPECT_EQ(suggested_values(threshold, std::uint64_t{0}, Limits{}, ValueRange{0, 3}), "0:3:1");
    EXPECT_EQ(suggested_values(threshold, 0.5, Limits{}, ValueRange{0.25, 1}), "0.25:0.85:0.2");
}

}  // namespace
}  // namespace gridstride::ui

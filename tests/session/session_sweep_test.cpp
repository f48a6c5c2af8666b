// Sweeps in the window's session, against a lab that answers as the test says.
#include "base/error.h"
#include "session/session_case.h"
#include "sweep/sweep_values.h"
#include "test_includes.h"

namespace gridstride::ui::session_sweep_test {

using testing::HasSubstr;

class SessionSweepTest : public SessionTest {
 protected:
    SessionSweepTest() {
        run_tree();
        answer(last(), 900);
    }

    void answer(const lab::Request& to, double kernel_ns, Status status = Status::ok) {
        Report report = answer_to(to, status);
        report.run_id = "run" + std::to_string(to.id);
        if (status == Status::ok) report.timings.kernel.samples = std::vector<double>(6, kernel_ns);
        reply(std::move(report));
    }
    /// Each takes as long as its size says.
    void answer_cells(std::size_t count, double ns_each = 1) {
        for (std::size_t i = 0; i < count; ++i)
            answer(last(), ns_each * static_cast<double>(size_of(last())));
    }
    void start_sweep(const std::string& sizes = "32,64,128,256") {
        session_.start_sweep(sweep_of_sizes(sizes));
    }
    std::size_t cells_done() const { return session_.sweeps().newest()->progress().done; }
};

TEST_F(SessionSweepTest, RunsCellByCellAndLeavesTheBenchAlone) {
    EXPECT_EQ(session_.sweeps().state(), SweepState::none);
    const std::uint64_t before = session_.revision();
    start_sweep();
    EXPECT_EQ(session_.sweeps().state(), SweepState::running);
    answer_cells(4, 100);
    EXPECT_EQ(cells_done(), 4U);
    EXPECT_EQ(session_.sweeps().state(), SweepState::running) << "they are measured again in turn";
    answer_cells(4 * repeat_rounds, 100);
    EXPECT_EQ(session_.sweeps().state(), SweepState::done);
    EXPECT_EQ(session_.sweeps().reports().size(), 4 + 4 * repeat_rounds) << "an export has them all";
    EXPECT_EQ(session_.runs().all().size(), 1U) << "they would flood the table";
    EXPECT_EQ(session_.revision(), before) << "the bench's pictures are not made anew";
    EXPECT_FALSE(session_.stale());
}

TEST_F(SessionSweepTest, ABenchChangeGoesFirstAndTheSweepGoesOnByItself) {
    start_sweep();
    const lab::Request cell = last();
    set_size(512);
    EXPECT_EQ(size_of(last()), 512U);
    EXPECT_NE(session_.jobs().running(), session_.sweeps().newest());
    answer(cell, 1);  // comes too late: the cell waits again
    EXPECT_EQ(cells_done(), 0U);
    EXPECT_EQ(size_of(last()), 512U);
    answer(last(), 500);
    EXPECT_EQ(session_.report()->experiment.values[key::workgroup_size], 512U);
    EXPECT_EQ(last().experiment, cell.experiment) << "the same cell again, without being asked";
    EXPECT_EQ(session_.runs().all().size(), 2U);
}

TEST_F(SessionSweepTest, StopGivesTheRunUpAndResumeRunsItAgain) {
    start_sweep();
    answer(last(), 1);
    const lab::Request cut = last();
    session_.stop_sweep();
    EXPECT_EQ(session_.sweeps().state(), SweepState::stopped);
    EXPECT_EQ(lab_.cancelled, 1);
    answer(cut, 0, Status::stopped);
    EXPECT_EQ(last().id, cut.id) << "nothing runs while it is stopped";
    EXPECT_EQ(cells_done(), 1U);
    session_.resume_sweep();
    EXPECT_EQ(session_.sweeps().state(), SweepState::running);
    EXPECT_NE(last().id, cut.id);
    EXPECT_EQ(last().experiment, cut.experiment);
}

TEST_F(SessionSweepTest, StoppingWhileTheBenchRunsDoesNotCancelTheBench) {
    start_sweep();
    set_size(512);
    session_.stop_sweep();
    EXPECT_EQ(lab_.cancelled, 0);
    answer(last(), 5);
    EXPECT_EQ(session_.report()->experiment.values[key::workgroup_size], 512U);
    EXPECT_EQ(size_of(last()), 512U);
}

TEST_F(SessionSweepTest, ACellGoesToTheBenchAndRuns) {
    start_sweep();
    answer_cells(4);
    const auto best = session_.sweeps().newest()->best();
    ASSERT_TRUE(best);
    session_.use_cell(best->cell);
    EXPECT_EQ(session_.bench().values()[key::workgroup_size], 32U);
    EXPECT_EQ(size_of(last()), 32U);
    EXPECT_TRUE(session_.in_flight());
}

TEST_F(SessionSweepTest, AnotherLessonStopsItAndItsResultStays) {
    start_sweep();
    answer(last(), 1);
    session_.open(*find_lesson("histogram"), 0);
    EXPECT_EQ(session_.sweeps().state(), SweepState::stopped);
    EXPECT_EQ(cells_done(), 1U);
    EXPECT_EQ(session_.sweeps().newest()->spec().lesson->id, "reduction");
}

TEST_F(SessionSweepTest, EveryRowIsInTheSessionsCsvAlsoOfASweepThatWasReplaced) {
    const std::size_t before = csv_row_count(session_.all_reports());
    start_sweep();
    answer_cells(4);
    start_sweep("16,48");
    answer_cells(2);
    const CsvText csv = make_csv(session_.all_reports());
    EXPECT_EQ(csv.rows, before + 6 * 6);
    EXPECT_EQ(std::count(csv.text.begin(), csv.text.end(), '\n'),
              static_cast<std::ptrdiff_t>(before + 36 + 1));
    const CsvText sweep = make_csv(session_.sweeps().reports());
    EXPECT_EQ(sweep.rows, 12U);
    EXPECT_EQ(std::count(sweep.text.begin(), sweep.text.end(), '\n'), 13);
}

TEST_F(SessionSweepTest, TheFormSaysWhatWouldRunAndWhatKeepsItFromRunning) {
    const PreparedExperiment& bench = *session_.bench().prepared();
    SweepForm form = default_form(bench);
    EXPECT_EQ(form.texts["workgroup_size"], "8:1024:×2");
    EXPECT_EQ(examine_form(form, bench).cells, "8 cells: 8 values × 1 variant.");

    const auto with = [&](const char* sizes) {
        form.texts["workgroup_size"] = sizes;
        return examine_form(form, bench);
    };
    EXPECT_TRUE(with("512,1024,2048").spec);
    EXPECT_THAT(with("512,1024,2048").refused, HasSubstr("maxComputeWorkGroupInvocations"));
    EXPECT_FALSE(with("2048,4096").spec) << "all are refused";
    EXPECT_FALSE(with("2048,4096").problems.empty());
    EXPECT_FALSE(with("32,many").spec);
    EXPECT_TRUE(with("32,many").axes[0].bad);
    EXPECT_THAT(with("32,many").axes[0].text, HasSubstr("many"));

    form = default_form(bench);
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
            const PreparedExperiment bench = prepare(default_experiment(*lesson), lab_.device);
            SweepForm form;
            form.parameters[0] = parameter.id;
            form.texts[parameter.id] =
                suggest_values(parameter, bench.values().at(parameter.id), lab_.device);
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
    const std::string text = suggest_values(threshold, std::uint64_t{15}, Limits{}, ValueRange{0, 215});
    EXPECT_EQ(text, "0:200:50");
    EXPECT_EQ(suggest_values(threshold, std::uint64_t{0}, Limits{}, ValueRange{0, 3}), "0:3:1");
    EXPECT_EQ(suggest_values(threshold, 0.5, Limits{}, ValueRange{0.25, 1}), "0.25:0.85:0.2");
}

}  // namespace gridstride::ui::session_sweep_test

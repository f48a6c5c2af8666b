// Tests the sweeps of a session, with a fake lab.
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
    /// Answers cells; the time of each is proportional to its workgroup size.
    void answer_cells(std::size_t count, double ns_each = 1) {
        for (std::size_t i = 0; i < count; ++i)
            answer(last(), ns_each * static_cast<double>(size_of(last())));
    }
    void start_sweep(const std::string& sizes = "32,64,128,256") {
        session_.start_sweep(make_size_sweep(sizes));
    }
    std::size_t count_done_cells() const { return session_.sweeps().newest()->progress().done; }
};

TEST_F(SessionSweepTest, RunsCellByCellAndLeavesTheBenchAlone) {
    EXPECT_EQ(session_.sweeps().state(), SweepState::none);
    const std::uint64_t revision = session_.revision();
    start_sweep();
    EXPECT_EQ(session_.sweeps().state(), SweepState::running);
    answer_cells(4, 100);
    EXPECT_EQ(count_done_cells(), 4U);
    EXPECT_EQ(session_.sweeps().state(), SweepState::running) << "the best cells are measured again in turn";
    answer_cells(4 * repeat_rounds, 100);
    EXPECT_EQ(session_.sweeps().state(), SweepState::done);
    EXPECT_EQ(session_.sweeps().reports().size(), 4 + 4 * repeat_rounds) << "an export has all of them";
    EXPECT_EQ(session_.runs().all().size(), 1U) << "the table has no sweep runs";
    EXPECT_EQ(session_.revision(), revision) << "the bench's pictures are not drawn again";
    EXPECT_FALSE(session_.is_stale());
}

TEST_F(SessionSweepTest, ABenchChangeRunsFirstAndTheSweepResumes) {
    start_sweep();
    const lab::Request cell = last();
    set_size(512);
    EXPECT_EQ(size_of(last()), 512U);
    EXPECT_NE(session_.jobs().running(), session_.sweeps().newest());
    answer(cell, 1);  // too late: the cell waits again
    EXPECT_EQ(count_done_cells(), 0U);
    EXPECT_EQ(size_of(last()), 512U);
    answer(last(), 500);
    EXPECT_EQ(session_.report()->experiment.values[key::workgroup_size], 512U);
    EXPECT_EQ(last().experiment, cell.experiment) << "the same cell runs again by itself";
    EXPECT_EQ(session_.runs().all().size(), 2U);
}

TEST_F(SessionSweepTest, StopAbortsTheRunAndResumeRepeatsIt) {
    start_sweep();
    answer(last(), 1);
    const lab::Request aborted = last();
    session_.stop_sweep();
    EXPECT_EQ(session_.sweeps().state(), SweepState::stopped);
    EXPECT_EQ(lab_.cancelled, 1);
    answer(aborted, 0, Status::stopped);
    EXPECT_EQ(last().id, aborted.id) << "nothing runs while it is stopped";
    EXPECT_EQ(count_done_cells(), 1U);
    session_.resume_sweep();
    EXPECT_EQ(session_.sweeps().state(), SweepState::running);
    EXPECT_NE(last().id, aborted.id);
    EXPECT_EQ(last().experiment, aborted.experiment);
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

TEST_F(SessionSweepTest, UsingACellSetsTheBenchAndRunsIt) {
    start_sweep();
    answer_cells(4);
    const auto best = session_.sweeps().newest()->best();
    ASSERT_TRUE(best);
    session_.use_cell(best->cell);
    EXPECT_EQ(session_.bench().values()[key::workgroup_size], 32U);
    EXPECT_EQ(size_of(last()), 32U);
    EXPECT_TRUE(session_.has_active_jobs());
}

TEST_F(SessionSweepTest, OpeningAnotherLessonStopsItAndKeepsItsResult) {
    start_sweep();
    answer(last(), 1);
    session_.open(*find_course_entry("histogram"), 0);
    EXPECT_EQ(session_.sweeps().state(), SweepState::stopped);
    EXPECT_EQ(count_done_cells(), 1U);
    EXPECT_EQ(session_.sweeps().newest()->spec().lesson->id, "reduction");
}

TEST_F(SessionSweepTest, TheSessionsCsvIncludesTheRowsOfAReplacedSweep) {
    const std::size_t row_count = csv_row_count(session_.all_reports());
    start_sweep();
    answer_cells(4);
    start_sweep("16,48");
    answer_cells(2);
    const CsvText csv = make_csv(session_.all_reports());
    EXPECT_EQ(csv.rows, row_count + 6 * 6);
    EXPECT_EQ(std::count(csv.text.begin(), csv.text.end(), '\n'),
              static_cast<std::ptrdiff_t>(row_count + 36 + 1));
    const CsvText sweep = make_csv(session_.sweeps().reports());
    EXPECT_EQ(sweep.rows, 12U);
    EXPECT_EQ(std::count(sweep.text.begin(), sweep.text.end(), '\n'), 13);
}

TEST_F(SessionSweepTest, TheFormCountsTheCellsAndReportsProblems) {
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
    EXPECT_FALSE(with("2048,4096").spec) << "every cell is refused";
    EXPECT_FALSE(with("2048,4096").problems.empty());
    EXPECT_FALSE(with("32,many").spec);
    EXPECT_TRUE(with("32,many").axes[0].is_bad);
    EXPECT_THAT(with("32,many").axes[0].text, HasSubstr("many"));

    form = default_form(bench);
    form.samples = "few";
    EXPECT_FALSE(examine_form(form, bench).spec);
    EXPECT_THAT(examine_form(form, bench).samples_problem, HasSubstr("few"));
    form.samples = "6";
    form.variants = SweptVariants::some;
    EXPECT_FALSE(examine_form(form, bench).spec) << "no variant is selected";
}

TEST_F(SessionSweepTest, EverySuggestedRangeIsValid) {
    for (const Lesson* lesson : all_lessons())
        for (const Parameter& parameter : lesson->parameters) {
            const PreparedExperiment bench = prepare(default_experiment(*lesson), lab_.device);
            SweepForm form;
            form.parameters[0] = parameter.id;
            form.texts[parameter.id] =
                suggest_values(parameter, bench.values().at(parameter.id), lab_.device);
            const ExaminedForm examined = examine_form(form, bench);
            ASSERT_TRUE(examined.spec)
                << lesson->id << " " << parameter.id << ": " << form.texts[parameter.id] << " "
                << examined.axes[0].text << (examined.problems.empty() ? "" : examined.problems.front());
            EXPECT_LE(examined.spec->axes[0].values.size(), 16U) << lesson->id << " " << parameter.id;
            EXPECT_GE(examined.spec->axes[0].values.size(), 2U) << lesson->id << " " << parameter.id;
        }
}

TEST(SuggestedValues, FollowTheRangeOfTheInput) {
    const Lesson& lesson = *find_lesson("zero_suppression");
    const Parameter& threshold = *find(lesson.parameters, "threshold");
    const std::string text = suggest_values(threshold, std::uint64_t{15}, Limits{}, ValueRange{0, 215});
    EXPECT_EQ(text, "0:200:50");
    EXPECT_EQ(suggest_values(threshold, std::uint64_t{0}, Limits{}, ValueRange{0, 3}), "0:3:1");
    EXPECT_EQ(suggest_values(threshold, 0.5, Limits{}, ValueRange{0.25, 1}), "0.25:0.85:0.2");
}

}  // namespace gridstride::ui::session_sweep_test

// Tests how the session grades the exercise of a step: in separate runs, between those of the bench.
#include "session/session_case.h"

namespace gridstride::ui::session_grading_test {

class SessionGrading : public SessionTest {
 protected:
    SessionGrading() {
        lab_.at_once = [this](const lab::Request& request) {
            Report report = answer_to(request, status_);
            report.trace_metrics = {{"races", Estimate{0, 0, 0}, "None."},
                                    {"barriers", Estimate{8, 8, 8}, "Eight."}};
            return report;
        };
        session_.open(*find_course_entry("reduction"), 0);
        while (!session_.exercise_block() || session_.exercise_block()->exercise != "missing_barriers")
            session_.go_to_step(session_.step() + 1);
        pump();
    }
    void pump() {
        for (int i = 0; i < 200; ++i)
            session_.pump();
    }
    std::size_t count_graded_kernels() const {
        return static_cast<std::size_t>(std::ranges::count_if(lab_.requests, [](const lab::Request& one) {
            return one.experiment.kernel && !one.sampling.measure && !one.trace_options;
        }));
    }

    bool is_solved() const {
        return session_.progress().step_progress(session_.lesson(), session_.shown_step()).is_solved;
    }

    Status status_ = Status::ok;
};

TEST_F(SessionGrading, GradesTheKernelInTheEditorAndRemembersTheSolution) {
    EXPECT_EQ(session_.bench().variant(), "missing_barriers") << "the exercise is on the bench";
    EXPECT_TRUE(session_.progress().step_progress(session_.lesson(), session_.shown_step()).has_exercise);
    EXPECT_FALSE(is_solved());
    session_.edit_kernel("void main() {}");
    session_.grade_exercise();
    EXPECT_TRUE(session_.has_active_jobs());
    pump();
    EXPECT_FALSE(session_.has_active_jobs());
    ASSERT_TRUE(session_.exercise());
    EXPECT_TRUE(session_.exercise()->is_done());
    EXPECT_EQ(count_graded_kernels(), 45U);
    EXPECT_TRUE(is_solved());
    EXPECT_FALSE(session_.is_exercise_old());
    session_.edit_kernel("void main() { }");
    EXPECT_TRUE(session_.is_exercise_old());
    EXPECT_TRUE(is_solved()) << "a solved exercise stays solved";
    session_.reset_progress(&session_.entry());
    EXPECT_FALSE(is_solved());
}

TEST_F(SessionGrading, AWrongKernelIsNotASolutionAndItsFailingCaseCanBeOpened) {
    status_ = Status::mismatch;
    session_.grade_exercise();
    pump();
    ASSERT_TRUE(session_.exercise());
    const RequirementResult& matches = session_.exercise()->requirement_results().front();
    ASSERT_TRUE(matches.failing);
    EXPECT_FALSE(is_solved());
    session_.use_experiment(*matches.failing);
    EXPECT_EQ(session_.bench().values(), matches.failing->values);
    EXPECT_TRUE(session_.exercise()) << "its verdict stays";
}

TEST_F(SessionGrading, TypingOrStoppingOrLeavingTheStepEndsTheGrading) {
    lab_.at_once = nullptr;
    session_.grade_exercise();
    EXPECT_TRUE(session_.is_grading());
    session_.edit_kernel("void main() {}");
    EXPECT_FALSE(session_.is_grading());
    session_.grade_exercise();
    session_.stop();
    EXPECT_FALSE(session_.is_grading());
    session_.grade_exercise();
    session_.go_to_step(session_.step() - 1);
    EXPECT_EQ(session_.exercise(), nullptr);
}

}  // namespace gridstride::ui::session_grading_test

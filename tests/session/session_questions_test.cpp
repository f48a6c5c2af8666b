// Tests what an open question holds back, how runs decide it and which answers are saved, with a fake lab.
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "session/session_case.h"
#include "test_includes.h"
#include "ui/trace_case.h"

namespace gridstride::ui::session_questions_test {

using testing::HasSubstr;
using Result = Outcome::Result;

/// Returns true if a question compares the times of two trees: two runs, three choices from "less" to "more".
bool compares_two_times(const PredictBlock& question) {
    const Quotient& value = question.value;
    return question.runs.size() == 2 && question.choices.size() == 3 && value.divided_by &&
           value.value.metric == "kernel_ns" && value.value.run == 2 &&
           value.divided_by->metric == "kernel_ns" && value.divided_by->run == 1;
}

const std::string refusal = "It did not work.", too_few = "Only workgroup 0 was traced.";

class SessionQuestionsTest : public SessionTest {
 protected:
    SessionQuestionsTest() {
        lab_.device.device_name = "Test GPU";
        session_.open(entry(), 0);
        for (step_ = 0; step_ < session_.story().steps.size(); ++step_) {
            const StoryStep& step = session_.story().steps[step_];
            const std::vector<std::size_t> questions = question_blocks(step);
            if (questions.size() != 1) continue;
            block_ = questions.front();
            if (compares_two_times(question())) break;
        }
        session_.open(entry(), step_);
    }

    static const Lesson& reduction() { return *find_lesson("reduction"); }
    static const CourseEntry& entry() { return *find_course_entry("reduction"); }
    const PredictBlock& question() const {
        return std::get<PredictBlock>(session_.story().steps.at(step_).blocks[block_]);
    }
    std::size_t last_step() const { return session_.story().steps.size() - 1; }
    static std::string step_id(std::size_t step) { return load_story(reduction(), "en").steps[step].id; }
    Prediction& prediction() { return session_.prediction(block_); }

    /// Answers the newest request with a kernel whose samples lie between these two times.
    void answer(double from_ns, double to_ns, Status status = Status::ok) {
        Report report = answer_to(last(), status);
        report.message = status == Status::ok ? "" : refusal;
        for (int i = 0; status == Status::ok && i <= 10; ++i)
            report.timings.kernel.samples.push_back(from_ns + i * (to_ns - from_ns) / 10);
        reply(std::move(report));
    }
    /// Answers both runs; the second run's samples straddle the bound between two choices.
    void answer_undecided() {
        answer(100, 100);
        const double edge = 100 * question().choices.front().bound;
        answer(0.7 * edge, 1.3 * edge);
    }
    void answer_and_decide(std::size_t choice) {
        prediction().answer.choice = choice;
        ASSERT_EQ(session_.prediction_to_decide(), block_);
        session_.decide_prediction(block_);
    }

    std::string question_id() const { return question().id; }
    bool is_open() const {
        return session_.progress().step_progress(session_.lesson(), session_.story().steps[step_]).open == 1;
    }
    void expect_result(Result result) {
        ASSERT_TRUE(prediction().outcome);
        EXPECT_EQ(prediction().outcome->result, result);
    }

    std::size_t step_ = 0, block_ = 0;
};

/// While a question is open, no control contradicts the sizes that it states.
class QuestionControls : public SessionTest, public testing::WithParamInterface<bool> {};
INSTANTIATE_TEST_SUITE_P(Devices, QuestionControls, testing::Bool());

TEST_P(QuestionControls, ShowAValueOfTheRunsInEveryStory) {
    lab_.device.is_cpu = GetParam();
    std::size_t checked = 0;
    for (const Lesson* lesson : all_lessons()) {
        session_.open(*find_course_entry(lesson->id), 0);
        session_.pump();
        for (std::size_t step = 0; step < session_.story().steps.size(); ++step) {
            session_.go_to_step(step);
            while (const auto block = session_.open_question()) {
                session_.show_question_values();
                const PredictBlock device_question =
                    question_for_device(get_question(session_.shown_step(), *block), GetParam());
                const Experiment step_experiment = experiment_of_step(*lesson, session_.story(), step);
                for (const std::string& name : step_controls(session_.shown_step())) {
                    const auto value = [&](const Experiment& one) {
                        return name == "variant"
                                   ? one.variant
                                   : format(*find(lesson->parameters, name), one.values.at(name));
                    };
                    std::vector<std::string> values;
                    for (const std::vector<Setting>& settings : device_question.runs) {
                        Experiment run = step_experiment;
                        apply(*lesson, settings, run);
                        values.push_back(value(run));
                    }
                    if (values.empty()) continue;
                    EXPECT_THAT(values, testing::Contains(value(session_.bench().experiment())))
                        << lesson->id << ", " << session_.shown_step().id << ", " << name;
                    ++checked;
                }
                session_.skip_question(*block);
            }
        }
    }
    EXPECT_GT(checked, 100U);
}

TEST_F(SessionQuestionsTest, NothingRunsByItselfWhileAQuestionIsOpen) {
    session_.pump();
    ASSERT_TRUE(session_.has_open_question());
    EXPECT_EQ(session_.open_question(), block_);
    set_size(64);
    EXPECT_EQ(session_.bench().values()[key::workgroup_size], 64U)
        << "the bench accepts and checks the value";
    EXPECT_TRUE(session_.bench().prepared());
    session_.run_all_variants();
    SweepForm form = default_form(*session_.bench().prepared());
    EXPECT_THROW(session_.start_sweep(examine_form(form, *session_.bench().prepared()).spec.value()),
                 Refusal);
    session_.pump();
    EXPECT_TRUE(lab_.requests.empty());
    session_.run();
    ASSERT_EQ(lab_.requests.size(), 1U) << "the user asked for this run";
    answer(1, 1);
    EXPECT_TRUE(session_.has_open_question()) << "the run does not skip the question";
    EXPECT_TRUE(is_open());

    session_.skip_question(block_);
    EXPECT_FALSE(session_.has_open_question());
    EXPECT_EQ(session_.progress().step_progress(session_.lesson(), session_.story().steps[step_]).skipped,
              1U);
    set_size(128);
    EXPECT_EQ(lab_.requests.size(), 2U);
    session_.reset_question(block_);
    EXPECT_EQ(lab_.cancelled, 1);
    set_size(256);
    EXPECT_EQ(lab_.requests.size(), 2U);
    EXPECT_TRUE(is_open());
}

TEST_F(SessionQuestionsTest, TheUsersKernelRunsWhileAQuestionIsOpen) {
    session_.pump();
    session_.set_variant("tree_interleaved");
    EXPECT_TRUE(session_.hides_results());
    session_.edit_kernel("mine");
    pass(std::chrono::seconds(1));
    ASSERT_EQ(lab_.requests.size(), 1U);
    ASSERT_TRUE(last().experiment.kernel);
    answer(1, 1);
    ASSERT_TRUE(session_.report());
    EXPECT_FALSE(session_.hides_results());
    EXPECT_TRUE(session_.has_open_question());
    set_size(64);
    EXPECT_EQ(lab_.requests.size(), 2U) << "each change runs at once";
    session_.revert_kernel();
    set_size(128);
    EXPECT_EQ(lab_.requests.size(), 2U);
    EXPECT_FALSE(session_.can_run()) << "a run of the lesson's kernel would answer the question";
    // The question has no run of this variant, so a run of it gives nothing away.
    session_.set_variant("tree_packed");
    EXPECT_EQ(lab_.requests.size(), 3U);
    EXPECT_TRUE(session_.can_run());
}

TEST_F(SessionQuestionsTest, ASweepStopsAtAnOpenQuestion) {
    session_.open(entry(), last_step());
    ASSERT_FALSE(session_.has_open_question());
    session_.pump();
    session_.set_variant("tree_interleaved");
    answer(1, 1);
    SweepForm form = default_form(*session_.bench().prepared());
    session_.start_sweep(examine_form(form, *session_.bench().prepared()).spec.value());
    EXPECT_EQ(session_.sweeps().state(), SweepState::running);
    session_.go_to_step(step_);
    EXPECT_EQ(session_.sweeps().state(), SweepState::stopped);
    session_.resume_sweep();
    EXPECT_EQ(session_.sweeps().state(), SweepState::stopped);
    session_.skip_question(block_);
    session_.resume_sweep();
    EXPECT_EQ(session_.sweeps().state(), SweepState::running);
}

TEST_F(SessionQuestionsTest, RunsDecideAQuestionAndStayAvailable) {
    session_.pump();
    EXPECT_FALSE(session_.prediction_to_decide());
    answer_and_decide(0);
    EXPECT_FALSE(session_.prediction_to_decide()) << "its runs have started";
    answer(100, 100);
    EXPECT_TRUE(session_.has_open_question());
    EXPECT_TRUE(session_.deciding_runs(block_).empty());
    answer(1, 1);
    expect_result(Result::right);
    EXPECT_FALSE(session_.has_open_question());
    EXPECT_FALSE(session_.has_active_jobs());
    const auto runs = session_.deciding_runs(block_);
    ASSERT_EQ(runs.size(), 2U);
    EXPECT_EQ(runs[0]->kernel_ns, 100);
    EXPECT_EQ(runs[1]->kernel_ns, 1);
    EXPECT_EQ(session_.progress().step_progress(session_.lesson(), session_.story().steps[step_]).right, 1U);
    session_.reset_question(block_);
    EXPECT_TRUE(session_.deciding_runs(block_).empty());
    answer_and_decide(0);
    answer(100, 100);
    answer(10'000, 10'000);
    EXPECT_EQ(prediction().outcome->result, Result::wrong);
    EXPECT_EQ(session_.progress().step_progress(session_.lesson(), session_.story().steps[step_]).wrong, 1U);
}

TEST_F(SessionQuestionsTest, RunsUseTheRequestedSampleCount) {
    session_.pump();
    session_.set_samples(3);
    answer_and_decide(0);
    EXPECT_EQ(last().sampling.samples, 3U);
}

TEST_F(SessionQuestionsTest, AnUndecidedQuestionIsMeasuredLongerAndThenDecided) {
    session_.pump();
    answer_and_decide(0);
    const double original_budget = last().sampling.budget_seconds;
    answer_undecided();
    EXPECT_FALSE(prediction().outcome);
    EXPECT_TRUE(prediction().is_pending);
    EXPECT_TRUE(session_.question_job(block_)->measures_longer());
    EXPECT_TRUE(session_.has_open_question()) << "runs are still held back";
    EXPECT_TRUE(last().sampling.whole_budget);
    EXPECT_GT(last().sampling.budget_seconds, original_budget);
    answer(100, 100);
    EXPECT_TRUE(last().sampling.whole_budget);
    answer(1, 1);
    expect_result(Result::right);
    EXPECT_FALSE(prediction().is_pending);
    EXPECT_EQ(session_.deciding_runs(block_).front()->number, 3U) << "these are the longer runs";
}

TEST_F(SessionQuestionsTest, IsUndecidedIfLongerRunsDoNotDecideIt) {
    session_.pump();
    answer_and_decide(1);
    answer_undecided();
    answer_undecided();
    expect_result(Result::undecided);
    EXPECT_NE(prediction().outcome->explanation, "");
    EXPECT_EQ(lab_.requests.size(), 4U) << "the runs are repeated only once";
    EXPECT_FALSE(session_.has_active_jobs());
    EXPECT_FALSE(session_.has_open_question());
    EXPECT_EQ(session_.progress().step_progress(session_.lesson(), session_.story().steps[step_]).undecided,
              1U);
}

/// The question of a step whose kernel lacks a barrier; a trace decides it.
class SessionTraceQuestion : public SessionQuestionsTest {
 protected:
    SessionTraceQuestion() {
        for (step_ = 0; step_ < session_.story().steps.size(); ++step_)
            for (const std::size_t block : question_blocks(session_.story().steps[step_]))
                if (metric_origin(get_question(session_.story().steps[step_], block).value) == "traced") {
                    block_ = block;
                    session_.open(entry(), step_);
                    for (const std::size_t other : question_blocks(session_.story().steps[step_]))
                        if (other != block_) session_.skip_question(other);
                    session_.pump();
                    return;
                }
        ADD_FAILURE() << "no step asks for races";
    }
    /// Answers with a trace that has this many races; nullopt: the number is unknown.
    void answer_trace(std::optional<Estimate> races) {
        Report report = answer_to(last(), Status::ok);
        TraceCase::put(TraceCase{.first_barrier = false}.make(), report);
        report.trace_metrics = {{"races", races, too_few}, {"races(28, 38)", races, "Line 38 reads."}};
        reply(std::move(report));
    }
};

TEST_F(SessionTraceQuestion, IsDecidedByATraceThatPrecedesTheMeasuredRun) {
    const std::size_t runs = session_.runs().all().size();
    answer_and_decide(1);
    ASSERT_TRUE(last().trace_options);
    EXPECT_EQ(last().trace_options->launch, 0U) << "the main launch";
    EXPECT_FALSE(last().sampling.measure);
    answer_trace(Estimate{2048, 2048, 2048});
    ASSERT_FALSE(prediction().outcome);
    EXPECT_FALSE(last().trace_options);
    EXPECT_TRUE(last().sampling.measure);
    answer(1, 1);
    expect_result(Result::right);
    EXPECT_EQ(prediction().outcome->values.front().value, 2048);
    EXPECT_EQ(session_.runs().all().size(), runs + 1) << "the table has no trace";
    const auto decided_by = session_.deciding_runs(block_);
    ASSERT_EQ(decided_by.size(), 1U);
    EXPECT_EQ(metric(decided_by.front()->report, "races"), 2048);
    EXPECT_EQ(decided_by.front()->kernel_ns, 1);
    wait_for_trace();
    ASSERT_TRUE(session_.traces().newest()) << "the trace that decided it can be opened";
    EXPECT_FALSE(session_.is_trace_old());
    session_.run();
    answer(1, 1);
    EXPECT_TRUE(session_.runs().all().back().report.trace_metrics.empty())
        << "only the deciding run has trace metrics";
}

TEST_F(SessionTraceQuestion, StaysOpenAndReportsWhyTheTraceDidNotDecide) {
    answer_and_decide(1);
    answer_trace(std::nullopt);
    answer(1, 1);
    EXPECT_FALSE(prediction().outcome);
    EXPECT_EQ(prediction().problem, too_few);
    EXPECT_TRUE(session_.has_open_question());

    answer_and_decide(1);
    EXPECT_EQ(prediction().problem, "");
    ASSERT_TRUE(last().trace_options);
    answer(0, 0, Status::timed_out);
    answer(1, 1);
    EXPECT_FALSE(prediction().outcome);
    EXPECT_THAT(prediction().problem, HasSubstr(refusal));
}

TEST_F(SessionTraceQuestion, DoesNotRepeatAnUndecidedTrace) {
    answer_and_decide(1);
    answer_trace(Estimate{100, 100, std::numeric_limits<double>::infinity()});
    const std::size_t requests = lab_.requests.size();
    answer(1, 1);
    expect_result(Result::undecided);
    EXPECT_THAT(prediction().outcome->explanation, HasSubstr("100"));
    EXPECT_EQ(lab_.requests.size(), requests);
}

TEST_F(SessionQuestionsTest, ARunThatFailsOrIsStoppedLeavesItOpen) {
    session_.pump();
    answer_and_decide(0);
    answer(100, 100);
    answer(0, 0, Status::failed);
    EXPECT_FALSE(prediction().outcome);
    EXPECT_EQ(prediction().problem, refusal);
    EXPECT_EQ(session_.prediction_to_decide(), block_) << "the user can try again";
    answer_and_decide(0);
    EXPECT_EQ(prediction().problem, "");
    session_.stop();
    answer(0, 0, Status::stopped);
    EXPECT_EQ(prediction().problem, refusal);
    EXPECT_TRUE(session_.has_open_question());
}

TEST_F(SessionQuestionsTest, IsDecidedWhileTheUserIsOnAnotherStep) {
    session_.pump();
    answer_and_decide(0);
    session_.go_to_step(last_step());
    EXPECT_EQ(session_.progress().step_progress(session_.lesson(), session_.story().steps[step_]).pending,
              1U);
    EXPECT_EQ(session_.progress().count_pending_questions(entry()), 1U);
    const std::uint64_t bench_request = last().id;
    answer(5, 5);
    const std::shared_ptr<const Report> shown_report = session_.shared_report();
    ASSERT_GT(last().id, bench_request) << "the bench's run comes first, then the question's run is repeated";
    session_.open(*find_course_entry("histogram"), 0);
    answer(100, 100);
    session_.go_to_step(1);
    answer(1, 1);
    EXPECT_NE(session_.shared_report(), shown_report);
    EXPECT_FALSE(session_.report()) << "the runs are of another lesson";
    session_.open(entry(), step_);
    expect_result(Result::right);
    EXPECT_EQ(session_.progress().step_progress(session_.lesson(), session_.story().steps[step_]).pending,
              0U);
    EXPECT_EQ(session_.progress().step_progress(session_.lesson(), session_.story().steps[step_]).right, 1U);
    EXPECT_EQ(session_.deciding_runs(block_).size(), 2U);
}

TEST_F(SessionQuestionsTest, APendingQuestionContinuesAtTheNextStart) {
    session_.pump();
    answer_and_decide(0);
    answer(100, 100);
    const StoryProgress saved = parse_progress_json(
        nlohmann::ordered_json::parse(progress_json(session_.progress().story_progress()).dump()));
    FakeLab lab;
    lab.device.device_name = "Test GPU";
    lab.at_once = [&](const lab::Request& request) {
        Report report = answer_to(request, Status::ok);
        report.timings.kernel.samples.assign(10, lab.requests.empty() ? 100 : 1);
        return report;
    };
    Session next(lab, "en");
    next.restore_progress(saved);
    next.open(*find_course_entry("histogram"), 0);
    for (int i = 0; i < 5; ++i)
        next.pump();
    EXPECT_EQ(lab.requests.size(), 2U);
    next.open(entry(), step_);
    ASSERT_TRUE(next.prediction(block_).outcome);
    EXPECT_EQ(next.prediction(block_).outcome->result, Result::right);
}

TEST_F(SessionQuestionsTest, EachDeviceHasItsOwnAnswersAndTheLastDeviceIsAssumed) {
    session_.pump();
    answer_and_decide(0);
    answer(100, 100);
    answer(1, 1);
    session_.go_to_step(last_step());
    const StoryProgress story_progress = session_.progress().story_progress();
    EXPECT_EQ(story_progress.device, "Test GPU");

    for (const bool is_same_device : {true, false}) {
        FakeLab lab;
        lab.ready = false;
        lab.device.device_name = is_same_device ? "Test GPU" : "Another GPU";
        Session next(lab, "en");
        next.restore_progress(story_progress);
        ASSERT_EQ(next.progress().last_entry(), find_course_entry("reduction"));
        EXPECT_EQ(next.progress().last_position(*find_course_entry("reduction")).step, step_id(last_step()));
        next.open(entry(), step_);
        EXPECT_EQ(next.progress().step_progress(next.lesson(), next.story().steps[step_]).right, 1U)
            << "the last device is assumed";
        EXPECT_TRUE(next.prediction(block_).outcome);
        EXPECT_FALSE(next.has_open_question());
        lab.ready = true;
        next.pump();
        EXPECT_EQ(next.progress().step_progress(next.lesson(), next.story().steps[step_]).right,
                  is_same_device ? 1U : 0U);
        EXPECT_EQ(next.has_open_question(), !is_same_device);
        EXPECT_EQ(next.progress().step_progress(next.lesson(), next.story().steps[last_step()]).is_seen,
                  is_same_device);
        EXPECT_TRUE(next.progress().step_progress(next.lesson(), next.story().steps[step_]).is_seen);
        EXPECT_EQ(next.progress().last_position(*find_course_entry("reduction")).step, step_id(step_));
        for (const auto& [key, prediction] : next.progress().story_progress().predictions)
            EXPECT_NE(key.device, "");
    }
}

TEST_F(SessionQuestionsTest, AnswersGivenBeforeTheDeviceIsOpenAreAssignedToIt) {
    lab_.ready = false;
    session_.pump();
    prediction().answer.choice = 2;
    session_.decide_prediction(block_);
    EXPECT_TRUE(lab_.requests.empty());
    lab_.ready = true;
    session_.pump();
    EXPECT_EQ(prediction().answer.choice, 2U);
    EXPECT_TRUE(
        session_.progress().story_progress().predictions.contains({"Test GPU", "reduction", question_id()}));
    EXPECT_TRUE(
        session_.progress().story_progress().seen_steps.contains({"Test GPU", "reduction", step_id(step_)}));
    EXPECT_EQ(session_.progress().story_progress().seen_steps.begin()->device, "Test GPU")
        << "every entry has a device";
}

TEST_F(SessionQuestionsTest, ForgetsTheProgressOfOneLessonOrOfAll) {
    session_.pump();
    session_.skip_question(block_);
    const CourseEntry& histogram = *find_course_entry("histogram");
    session_.open(histogram, 1);
    EXPECT_EQ(session_.progress().count_seen_steps(*find_course_entry("reduction")), 2U);
    EXPECT_EQ(session_.progress().last_position(*find_course_entry("reduction")).step, step_id(step_));
    session_.reset_progress(find_course_entry("reduction"));
    EXPECT_EQ(session_.progress().count_seen_steps(*find_course_entry("reduction")), 0U);
    EXPECT_EQ(session_.progress().last_position(*find_course_entry("reduction")).step, "");
    EXPECT_EQ(session_.progress().count_seen_steps(histogram), 1U);
    EXPECT_EQ(session_.progress().last_entry(), &histogram);
    session_.open(entry(), step_);
    EXPECT_TRUE(is_open());
    session_.skip_question(block_);
    session_.reset_progress(nullptr);
    EXPECT_TRUE(session_.has_open_question());
    EXPECT_EQ(session_.progress().last_entry(), nullptr);
    EXPECT_TRUE(session_.progress().story_progress().seen_steps.empty());
    EXPECT_TRUE(session_.progress().story_progress().last_positions.empty());
}

TEST_F(SessionQuestionsTest, RestoredAnswersReplaceAllProgress) {
    session_.pump();
    // Files of an earlier version have no last lesson and no device.
    StoryProgress imported;
    imported.predictions[{"", "reduction", question_id()}].is_skipped = true;
    session_.restore_progress(imported);
    EXPECT_EQ(session_.progress().last_entry(), nullptr)
        << "the lesson behind the course page is not started";
    EXPECT_EQ(session_.progress().count_seen_steps(*find_course_entry("reduction")), 0U);
    EXPECT_EQ(session_.progress().step_progress(session_.lesson(), session_.story().steps[step_]).skipped,
              1U);
}

TEST_F(SessionQuestionsTest, IgnoresAnswersThatDoNotFitTheirQuestion) {
    session_.pump();
    StoryProgress story_progress = session_.progress().story_progress();
    const ProgressKey good{"Test GPU", "reduction", question_id()};
    story_progress.predictions[good].answer.choice = 1;
    const Answer bad[] = {{.choice = 99}, {.order = {0}}, {.marks = {1, 2}}};
    for (const Answer& answer : bad) {
        StoryProgress with = story_progress;
        with.predictions[good].answer = answer;
        session_.restore_progress(with);
        EXPECT_FALSE(session_.progress().story_progress().predictions.contains(good));
    }
    StoryProgress elsewhere = story_progress;
    elsewhere.predictions[{"Test GPU", "reduction", "no_such_question"}].is_skipped = true;
    session_.restore_progress(elsewhere);
    EXPECT_EQ(session_.progress().story_progress().predictions.size(), 1U);
    EXPECT_EQ(session_.prediction_to_decide(), block_);
}

}  // namespace gridstride::ui::session_questions_test

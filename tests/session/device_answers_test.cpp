// Answers that were recorded on other devices: found for the question that they are of, and made by runs.
#include "progress/device_answers.h"

#include <random>

#include "../base/mutations.h"
#include "../base/scratch_folder.h"
#include "base/file.h"
#include "jobs/question_job.h"
#include "jobs/record_questions.h"
#include "lesson/trace_metrics.h"
#include "storage/notices.h"
#include "test_includes.h"

namespace gridstride::device_answers_test {

using testing::HasSubstr;
using testing::IsEmpty;

/// Every kernel takes 100 ns, but for the variants that do not run.
class QuickLab final : public lab::Client {
 public:
    std::set<std::string> failing;
    std::optional<Estimate> races = Estimate{17, 17, 17};  ///< and whatever else is recorded
    std::vector<lab::Request> requests;
    Limits device;

    void submit(lab::Request request) override {
        Report report;
        report.request = request.id;
        report.experiment = request.experiment;
        report.status = failing.contains(request.experiment.variant) ? Status::failed : Status::ok;
        report.message = report.status == Status::ok ? "" : "The device refused.";
        if (report.status == Status::ok)
            for (Timing* timing : {&report.timings.upload, &report.timings.kernel, &report.timings.download,
                                   &report.timings.wall, &report.timings.cpu})
                timing->samples.assign(10, 100);
        report.compare.judged_runs = 1;
        report.result = {{"partial_sums", "Partial sums", std::uint64_t{79}, 0},
                         {"total_error", "Off by", 1.0, 0}};
        if (request.trace_options) {
            report.trace.emplace();
            for (const std::string_view name : trace_metric_names)
                report.trace_metrics.push_back({std::string(name), races, "It is not known."});
        }
        answer_ = std::move(report);
        requests.push_back(std::move(request));
    }
    std::optional<Report> wait(std::chrono::milliseconds) override { return std::exchange(answer_, {}); }
    void cancel() override {}
    bool busy() const override { return false; }
    const Limits* limits_if_ready() override { return &device; }

 private:
    std::optional<Report> answer_;
};

const Lesson& reduction() {
    return *find_lesson("reduction");
}
const Story& story() {
    static const Story told = load_story(reduction(), "en");
    return told;
}
const PredictBlock& question_at(const QuestionPlace& place) {
    return get_question(story().steps[place.step], place.block);
}
std::vector<QuestionPlace> questions_of_reduction() {
    std::vector<QuestionPlace> places;
    for (std::size_t step = 0; step < story().steps.size(); ++step)
        for (const std::size_t block : question_blocks(story().steps[step]))
            places.push_back({step, block});
    return places;
}
RecordedLessonAnswers record(QuickLab& lab) {
    return record_questions(lab, reduction(), {});
}
DeviceAnswers answers_file_of(const RecordedLessonAnswers& recorded) {
    return {"NVIDIA H200", "570.1", false, "2026-11-21", recorded.answers};
}

TEST(DeviceAnswersTest, EveryQuestionIsRunAndStandsInTheFile) {
    QuickLab lab;
    const RecordedLessonAnswers recorded = record_questions(lab, reduction(), {.deadline_seconds = 7});
    const std::vector<QuestionPlace> questions = questions_of_reduction();
    ASSERT_EQ(recorded.answers.size(), questions.size());
    EXPECT_THAT(recorded.problems, IsEmpty());
    std::size_t runs = 0;
    for (const QuestionPlace& place : questions)
        runs += question_at(place).run_count();
    EXPECT_EQ(
        std::ranges::count_if(lab.requests, [](const lab::Request& one) { return one.sampling.measure; }),
        runs);
    EXPECT_TRUE(std::ranges::any_of(lab.requests,
                                    [](const lab::Request& one) { return one.trace_options.has_value(); }));
    for (const lab::Request& one : lab.requests)
        EXPECT_NE(one.trace_options.has_value(), one.sampling.measure);
    EXPECT_EQ(lab.requests.front().deadline_seconds, 7);

    const std::string text = format_device_answers(answers_file_of(recorded));
    const std::vector<DeviceAnswers> back = {parse_device_answers(text, "r.json")};
    EXPECT_EQ(format_device_answers(back.front()), text);
    std::set<std::string> sentences;
    for (const QuestionPlace& place : questions) {
        const auto answers = find_recorded_answers(reduction(), story(), place, back);
        ASSERT_EQ(answers.size(), 1U) << question_at(place).id;
        EXPECT_EQ(answers.front().device, "NVIDIA H200");
        sentences.insert(answers.front().sentence);
    }
    EXPECT_THAT(sentences, testing::Contains("NVIDIA H200, recorded 2026-11-21: 79 partial sums"));
    EXPECT_THAT(sentences, testing::Contains("NVIDIA H200, recorded 2026-11-21: equally fast"));
    EXPECT_THAT(sentences, testing::Contains("NVIDIA H200, recorded 2026-11-21: 17 (races)"));
}

TEST(DeviceAnswersTest, ShippedOnesAnswerTheQuestionsAsTheyAreAsked) {
    const std::vector<DeviceAnswers>& shipped = shipped_device_answers();
    EXPECT_GE(shipped.size(), 2U) << "a software driver's, and a graphics processor's";
    for (const Lesson* lesson : all_lessons()) {
        const Story told = load_story(*lesson, "en");
        EXPECT_THAT(find_device_answer_errors(*lesson, told), IsEmpty());
        for (std::size_t step = 0; step < told.steps.size(); ++step)
            for (const std::size_t block : question_blocks(told.steps[step]))
                EXPECT_GE(find_recorded_answers(*lesson, told, {step, block}).size(), 2U)
                    << lesson->id << ", " << get_question(told.steps[step], block).id
                    << ": record it on another device";
    }
}

TEST(DeviceAnswersTest, WhatTheRecordingDoesNotSayIsNamed) {
    QuickLab lab;
    lab.races.reset();
    const RecordedLessonAnswers recorded = record(lab);
    EXPECT_THAT(recorded.problems, testing::Contains(HasSubstr("It is not known.")));
}

TEST(DeviceAnswersTest, AnAnswerIsShownBesideItsOwnQuestionAlone) {
    QuickLab lab;
    const std::vector<DeviceAnswers> all = {answers_file_of(record(lab))};
    // The second question has runs and choices.
    const QuestionPlace place = questions_of_reduction()[2];
    const auto shown = [&](const auto& change) {
        Story edited = story();
        change(edited, std::get<PredictBlock>(edited.steps[place.step].blocks[place.block]));
        const bool has_mistake = !find_device_answer_errors(reduction(), edited, all).empty();
        const bool is_shown = !find_recorded_answers(reduction(), edited, place, all).empty();
        EXPECT_NE(has_mistake, is_shown);
        return is_shown;
    };
    EXPECT_TRUE(shown([](Story&, PredictBlock&) {}));
    EXPECT_TRUE(shown([](Story& told, PredictBlock& question) {
        question.question += " Really?";
        question.choices.front().label += ", or so";
        told.steps.front().title = "Another title";
    })) << "words";
    using Change = std::function<void(PredictBlock&)>;
    for (const auto& [name, change] :
         {std::pair<const char*, Change>{"id", [](PredictBlock& question) { question.id = "another"; }},
          {"a run", [](PredictBlock& question) { question.runs[0][0].value += "0"; }},
          {"the metric", [](PredictBlock& question) { question.value.value.metric = "wall_ns"; }},
          {"a bound", [](PredictBlock& question) { question.choices.front().bound *= 2; }},
          {"the order", [](PredictBlock& question) { std::swap(question.runs[0], question.runs[1]); }}})
        EXPECT_FALSE(shown([&](Story&, PredictBlock& question) { change(question); })) << name;
    EXPECT_FALSE(shown([](Story& told, PredictBlock&) {
        told.steps.front().blocks.push_back(SetBlock{.settings = {{"seed", "77"}}});
    })) << "what a step before puts on the bench";
    EXPECT_THAT(find_recorded_answers(*find_lesson("histogram"), story(), place, all), IsEmpty());
}

TEST(DeviceAnswersTest, AQuestionWhoseRunFailsIsNamedAndTheOthersAreThere) {
    QuickLab lab;
    lab.failing = {"tree_interleaved"};
    const RecordedLessonAnswers recorded = record(lab);
    ASSERT_THAT(recorded.problems, testing::Not(IsEmpty()));
    EXPECT_THAT(recorded.problems.front(), HasSubstr("The device refused."));
    EXPECT_GT(recorded.answers.size(), 0U);
    EXPECT_EQ(recorded.answers.size() + recorded.problems.size(), questions_of_reduction().size());
}

TEST(DeviceAnswersTest, WhatWasDoneBeforeItWasStoppedStays) {
    QuickLab lab;
    const RecordedLessonAnswers recorded =
        record_questions(lab, reduction(), {.interrupted = [&] { return lab.requests.size() >= 4; }});
    EXPECT_GT(recorded.answers.size(), 0U);
    EXPECT_LT(recorded.answers.size(), questions_of_reduction().size());
    EXPECT_EQ(lab.requests.size(), 4U);
}

TEST(DeviceAnswersTest, ADamagedFileCostsTheOthersNothing) {
    QuickLab lab;
    const test::ScratchFolder scratch;
    const std::string text = format_device_answers(answers_file_of(record(lab)));
    write_file(scratch / "good.json", text);
    write_file(scratch / "bad.json", text.substr(0, text.size() / 2));
    write_file(scratch / "other.txt", text);
    std::string newer = text;
    newer.replace(newer.find("\"schema_version\": 2"), 19, "\"schema_version\": 3");
    write_file(scratch / "newer.json", newer);
    take_notices();
    ASSERT_EQ(read_device_answers(scratch.path()).size(), 1U);
    EXPECT_THAT(take_notices(),
                testing::ElementsAre(testing::HasSubstr("bad.json"), HasSubstr("newer.json")));
    EXPECT_THAT(read_device_answers(scratch / "nowhere"), IsEmpty());
    const std::vector<QuestionPlace> questions = questions_of_reduction();
    std::mt19937 random(5);
    for (int i = 0; i < 300; ++i) {
        try {
            const std::vector<DeviceAnswers> read = {
                parse_device_answers(test::mutated(text, random), "r.json")};
            for (const QuestionPlace& place : questions)
                find_recorded_answers(reduction(), story(), place, read);
        } catch (const std::exception&) {
        }
    }
}

}  // namespace gridstride::device_answers_test

// Tests answers that were recorded on other devices: recording them, and finding those of a question.
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

/// A lab in which every kernel takes 100 ns; the variants in `failing` fail.
class QuickLab final : public lab::Client {
 public:
    std::set<std::string> failing;
    std::optional<Estimate> races = Estimate{17, 17, 17};  ///< the value of every trace metric
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
            for (const std::string_view name : trace_metric_names) {
                report.trace_metrics.push_back({std::string(name), races, "It is not known."});
                for (std::size_t line = 1; line < 100; ++line)
                    report.trace_metrics.push_back(
                        {fmt::format("{}({})", name, line), races, "It is not known."});
            }
        }
        answer_ = std::move(report);
        requests.push_back(std::move(request));
    }
    std::optional<Report> wait(std::chrono::milliseconds) override { return std::exchange(answer_, {}); }
    void cancel() override {}
    bool is_busy() const override { return false; }
    const Limits* limits_if_ready() override { return &device; }

 private:
    std::optional<Report> answer_;
};

const Lesson& reduction() {
    return *find_lesson("reduction");
}
const Story& story() {
    static const Story loaded = load_story(reduction(), "en");
    return loaded;
}
const PredictBlock& get_question(const QuestionPlace& place) {
    return get_question(story().steps[place.step], place.block);
}
std::vector<QuestionPlace> find_reduction_questions() {
    std::vector<QuestionPlace> places;
    for (std::size_t step = 0; step < story().steps.size(); ++step)
        for (const std::size_t block : question_blocks(story().steps[step]))
            places.push_back({step, block});
    return places;
}
RecordedLessonAnswers record(QuickLab& lab) {
    return record_questions(lab, *find_course_entry("reduction"), {});
}
DeviceAnswers make_device_answers(const RecordedLessonAnswers& result) {
    return {"NVIDIA H200", "570.1", false, "2026-11-21", result.answers};
}

TEST(DeviceAnswersTest, RunsEveryQuestionAndWritesItsAnswer) {
    QuickLab lab;
    const RecordedLessonAnswers result =
        record_questions(lab, *find_course_entry("reduction"), {.deadline_seconds = 7});
    const std::vector<QuestionPlace> questions = find_reduction_questions();
    ASSERT_EQ(result.answers.size(), questions.size());
    EXPECT_THAT(result.problems, IsEmpty());
    std::size_t runs = 0;
    for (const QuestionPlace& place : questions)
        runs += get_question(place).run_count();
    EXPECT_EQ(
        std::ranges::count_if(lab.requests, [](const lab::Request& one) { return one.sampling.measure; }),
        runs);
    EXPECT_TRUE(std::ranges::any_of(lab.requests,
                                    [](const lab::Request& one) { return one.trace_options.has_value(); }));
    for (const lab::Request& one : lab.requests)
        EXPECT_NE(one.trace_options.has_value(), one.sampling.measure);
    EXPECT_EQ(lab.requests.front().deadline_seconds, 7);

    const std::string text = format_device_answers(make_device_answers(result));
    const std::vector<DeviceAnswers> back = {parse_device_answers(text, "r.json")};
    EXPECT_EQ(format_device_answers(back.front()), text);
    std::set<std::string> sentences;
    for (const QuestionPlace& place : questions) {
        const auto answers = find_recorded_answers(reduction(), story(), place, back);
        ASSERT_EQ(answers.size(), 1U) << get_question(place).id;
        EXPECT_EQ(answers.front().device, "NVIDIA H200");
        sentences.insert(answers.front().sentence);
    }
    EXPECT_THAT(sentences, testing::Contains("NVIDIA H200, recorded 2026-11-21: 79 partial sums"));
    EXPECT_THAT(sentences, testing::Contains("NVIDIA H200, recorded 2026-11-21: equally fast"));
    EXPECT_THAT(sentences, testing::Contains("NVIDIA H200, recorded 2026-11-21: 17 (races)"));
    EXPECT_THAT(sentences, testing::Contains("NVIDIA H200, recorded 2026-11-21: as many"))
        << "the answer in words, not active_share(38) / active_share(37)";
}

TEST(DeviceAnswersTest, ShippedAnswersMatchTheCurrentQuestions) {
    const std::vector<DeviceAnswers>& shipped = shipped_device_answers();
    EXPECT_GE(shipped.size(), 2U) << "one of a software driver and one of a GPU";
    for (const Lesson* lesson : all_lessons()) {
        const Story english = load_story(*lesson, "en");
        EXPECT_THAT(find_device_answer_errors(*find_course_entry(lesson->id), english), IsEmpty());
        for (std::size_t step = 0; step < english.steps.size(); ++step)
            for (const std::size_t block : question_blocks(english.steps[step]))
                EXPECT_GE(find_recorded_answers(*lesson, english, {step, block}).size(), 2U)
                    << lesson->id << ", " << get_question(english.steps[step], block).id
                    << ": record it on another device";
    }
}

TEST(DeviceAnswersTest, ReportsAMetricThatTheTraceDoesNotHave) {
    QuickLab lab;
    lab.races.reset();
    const RecordedLessonAnswers result = record(lab);
    EXPECT_THAT(result.problems, testing::Contains(HasSubstr("It is not known.")));
}

TEST(DeviceAnswersTest, ShowsAnAnswerOnlyForItsRecordedQuestion) {
    QuickLab lab;
    const std::vector<DeviceAnswers> all = {make_device_answers(record(lab))};
    // This question has runs and choices.
    const QuestionPlace place = find_reduction_questions()[2];
    const auto is_shown_after = [&](const auto& change) {
        Story edited = story();
        change(edited, std::get<PredictBlock>(edited.steps[place.step].blocks[place.block]));
        const bool has_mistake =
            !find_device_answer_errors(*find_course_entry("reduction"), edited, all).empty();
        const bool is_shown = !find_recorded_answers(reduction(), edited, place, all).empty();
        EXPECT_NE(has_mistake, is_shown);
        return is_shown;
    };
    EXPECT_TRUE(is_shown_after([](Story&, PredictBlock&) {}));
    EXPECT_TRUE(is_shown_after([](Story& edited, PredictBlock& question) {
        question.question += " Really?";
        question.choices.front().label += ", or so";
        edited.steps.front().title = "Another title";
    })) << "the wording alone has changed";
    using Change = std::function<void(PredictBlock&)>;
    for (const auto& [name, change] :
         {std::pair<const char*, Change>{"id", [](PredictBlock& question) { question.id = "another"; }},
          {"a run", [](PredictBlock& question) { question.runs[0][0].value += "0"; }},
          {"the metric", [](PredictBlock& question) { question.value.value.metric = "wall_ns"; }},
          {"a bound", [](PredictBlock& question) { question.choices.front().bound *= 2; }},
          {"the order", [](PredictBlock& question) { std::swap(question.runs[0], question.runs[1]); }}})
        EXPECT_FALSE(is_shown_after([&](Story&, PredictBlock& question) { change(question); })) << name;
    EXPECT_FALSE(is_shown_after([](Story& edited, PredictBlock&) {
        edited.steps.front().blocks.push_back(SetBlock{.settings = {{"seed", "77"}}});
    })) << "an earlier step sets another value";
    EXPECT_FALSE(is_shown_after([](Story&, PredictBlock& question) { question.gpu_runs = question.runs; }))
        << "runs on a GPU";
    EXPECT_THAT(find_recorded_answers(*find_lesson("histogram"), story(), place, all), IsEmpty());
}

TEST(DeviceAnswersTest, OnlyAnswersOfGpusCanJudge) {
    QuickLab lab;
    const RecordedLessonAnswers result = record(lab);
    DeviceAnswers software = make_device_answers(result);
    software.is_cpu = true;
    const QuestionPlace place = find_reduction_questions()[2];
    EXPECT_THAT(find_gpu_values(reduction(), story(), place, {software}), IsEmpty());
    const auto gpus = find_gpu_values(reduction(), story(), place, {software, make_device_answers(result)});
    ASSERT_EQ(gpus.size(), 1U);
    EXPECT_EQ(gpus.front().device, "NVIDIA H200");
    EXPECT_EQ(gpus.front().values.front().value, 1) << "both kernels take 100 ns";
    Story edited = story();
    std::get<PredictBlock>(edited.steps[place.step].blocks[place.block]).runs[0][0].value += "0";
    EXPECT_THAT(find_gpu_values(reduction(), edited, place, {make_device_answers(result)}), IsEmpty());
}

/// Records a question whose runs differ on GPUs. Returns the workgroup sizes of its measured runs.
std::vector<std::uint32_t> record_sizes(bool is_cpu) {
    const test::ScratchFolder scratch;
    write_file(scratch / "story.en.md",
               "# T\n\n## S\n\n```predict\nid: q\nquestion: q\nrun: workgroup_size = 32\n"
               "run on gpu: workgroup_size = 64\nvalue: kernel_ns\nguess: ns | within 1\n```\n");
    Lesson lesson = reduction();
    lesson.folder = scratch.path().string();
    QuickLab lab;
    lab.device.is_cpu = is_cpu;
    EXPECT_THAT(record_questions(lab, {.lesson = &lesson, .id = lesson.id}, {}).problems, IsEmpty());
    std::vector<std::uint32_t> sizes;
    for (const lab::Request& one : lab.requests)
        sizes.push_back(requested_workgroup(one.experiment.values).product());
    return sizes;
}

TEST(DeviceAnswersTest, UsesTheGpuRunsOfAQuestionOnAGpu) {
    EXPECT_THAT(record_sizes(true), testing::ElementsAre(32));
    EXPECT_THAT(record_sizes(false), testing::ElementsAre(64));
}

/// The hashes that the recorded answers had before questions could have runs for GPUs.
TEST(DeviceAnswersTest, QuestionsWithoutGpuRunsKeepTheirHash) {
    const Story fixed = parse_story(
        "# T\n\n## S\n\n```set\nelements = 8\n```\n\n```predict\nid: q\nquestion: q\n"
        "run: variant = a\nrun: variant = b\nvalue: kernel_ns(2) / kernel_ns(1)\n"
        "choice: a | below 0.5 | A.\nchoice: b | otherwise | B.\n```\n",
        "t.md");
    EXPECT_EQ(hash_question(fixed, {0, 1}), "06ebb030b739907d");
}

TEST(DeviceAnswersTest, ReportsAQuestionWhoseRunFailsAndAnswersTheOthers) {
    QuickLab lab;
    lab.failing = {"tree_interleaved"};
    const RecordedLessonAnswers result = record(lab);
    ASSERT_THAT(result.problems, testing::Not(IsEmpty()));
    EXPECT_THAT(result.problems.front(), HasSubstr("The device refused."));
    EXPECT_GT(result.answers.size(), 0U);
    EXPECT_EQ(result.answers.size() + result.problems.size(), find_reduction_questions().size());
}

TEST(DeviceAnswersTest, KeepsTheAnswersRecordedBeforeAnInterruption) {
    QuickLab lab;
    const RecordedLessonAnswers result = record_questions(
        lab, *find_course_entry("reduction"), {.interrupted = [&] { return lab.requests.size() >= 4; }});
    EXPECT_GT(result.answers.size(), 0U);
    EXPECT_LT(result.answers.size(), find_reduction_questions().size());
    EXPECT_EQ(lab.requests.size(), 4U);
}

TEST(DeviceAnswersTest, ADamagedFileDoesNotAffectOthers) {
    QuickLab lab;
    const test::ScratchFolder scratch;
    const std::string text = format_device_answers(make_device_answers(record(lab)));
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
    const std::vector<QuestionPlace> questions = find_reduction_questions();
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

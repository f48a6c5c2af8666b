// Tests a student's progress: writing and reading it, merging it, and files of earlier versions.
#include "progress/story_progress.h"

#include <exception>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "test_includes.h"

namespace gridstride::story_progress_test {

using Result = Outcome::Result;

StoryProgress make_example() {
    StoryProgress story_progress{.device = "A", .lesson = "histogram"};
    story_progress.seen_steps = {
        {"A", "reduction", "step_0"}, {"A", "reduction", "step_1"}, {"B", "histogram", "step_3"}};
    story_progress.last_positions = {{{"A", "reduction"}, {"step_1"}},
                                     {{"B", "histogram"}, {"step_3", true}}};
    story_progress.attempts = {{{"A", "reduction", "maximum"}, 3}};
    story_progress.solved_exercises = {{"A", "reduction", "maximum"}, {"B", "reduction", "find_elements"}};
    auto& all = story_progress.predictions;
    all[{"A", "reduction", "question_0"}] = {
        .guess_text = "79",
        .outcome = Outcome{
            Result::wrong, {{80, 79.5, 81}}, 0, "Why.", "No: µ.", GpuValues{"NVIDIA H200", {{7, 6, 8}}}}};
    all[{"A", "reduction", "question_1"}] = {.answer = {.choice = 1}, .is_skipped = true};
    all[{"A", "reduction", "question_2"}] = {.answer = {.order = {2, 0, 1}},
                                             .outcome = Outcome{Result::undecided, {{1, 1, 1}}, 0, ""}};
    all[{"B", "histogram", "question_3"}] = {.answer = {.marks = {0.5, 3e9}}};
    return story_progress;
}

TEST(StoryProgress, SurvivesWritingAndReading) {
    const StoryProgress story_progress = make_example();
    const StoryProgress back =
        parse_progress_json(nlohmann::ordered_json::parse(progress_json(story_progress).dump()));
    EXPECT_EQ(progress_json(back), progress_json(story_progress));
    EXPECT_EQ(back.seen_steps, story_progress.seen_steps);
    EXPECT_EQ(back.last_positions, story_progress.last_positions);
    EXPECT_EQ(back.solved_exercises, story_progress.solved_exercises);
    EXPECT_EQ(back.attempts, story_progress.attempts);
    const Prediction& first = back.predictions.begin()->second;
    EXPECT_EQ(first.guess_text, "79");
    EXPECT_EQ(first.outcome->result, Result::wrong);
    EXPECT_EQ(first.outcome->values.front().high, 81);
    ASSERT_TRUE(first.outcome->judged_by);
    EXPECT_EQ(first.outcome->judged_by->device, "NVIDIA H200");
    EXPECT_EQ(first.outcome->judged_by->values.front().low, 6);
    EXPECT_FALSE(back.predictions.at({"A", "reduction", "question_2"}).outcome->judged_by);
    EXPECT_EQ(back.predictions.at({"A", "reduction", "question_2"}).answer.order,
              (std::vector<std::size_t>{2, 0, 1}));
    EXPECT_TRUE(back.predictions.at({"A", "reduction", "question_1"}).is_skipped);
    EXPECT_EQ(back.predictions.at({"B", "histogram", "question_3"}).answer.marks.back(), 3e9);
}

TEST(StoryProgress, SkipsEmptyPredictionsAndWritesInfiniteBounds) {
    StoryProgress story_progress;
    story_progress.predictions[{"A", "reduction", "question_0"}] = {};
    EXPECT_TRUE(progress_json(story_progress)["predictions"].empty());
    constexpr double endless = std::numeric_limits<double>::infinity();
    story_progress.predictions[{"A", "reduction", "question_0"}].outcome =
        Outcome{Result::right, {{2, -endless, endless}}};
    const std::string text = progress_json(story_progress).dump();
    EXPECT_EQ(parse_progress_json(nlohmann::ordered_json::parse(text))
                  .predictions.begin()
                  ->second.outcome->values.front()
                  .value,
              2);
}

TEST(StoryProgress, MergingKeepsDecidedAnswersAndUnitesSeenSteps) {
    const ProgressKey key{"A", "reduction", "question_0"}, other{"A", "reduction", "question_1"};
    const auto with = [](const ProgressKey& where, Prediction prediction) {
        StoryProgress story_progress;
        story_progress.predictions[where] = std::move(prediction);
        return story_progress;
    };
    const Prediction typed{.guess_text = "8"};
    const Prediction decided{.guess_text = "9", .outcome = Outcome{Result::right, {{9, 9, 9}}}};
    StoryProgress target = with(key, typed);
    EXPECT_EQ(merge(target, with(key, decided)), 1U);
    EXPECT_EQ(target.predictions.at(key).guess_text, "9");
    EXPECT_EQ(merge(target, with(key, typed)), 0U);
    EXPECT_EQ(merge(target, with(key, {.guess_text = "1", .is_skipped = true})), 0U);
    EXPECT_EQ(target.predictions.at(key).guess_text, "9");
    EXPECT_EQ(merge(target, with(other, typed)), 1U);

    target.seen_steps = {{"A", "reduction", "step_0"}};
    target.last_positions[{"A", "reduction"}].step = "step_0";
    target.lesson = "reduction";
    const StoryProgress source = make_example();
    merge(target, source);
    EXPECT_EQ(target.seen_steps, source.seen_steps);
    EXPECT_EQ(target.solved_exercises, source.solved_exercises);
    EXPECT_EQ(target.attempts, source.attempts);
    target.erase("A", find_course_entry("reduction"));
    EXPECT_EQ(target.solved_exercises, (std::set<ProgressKey>{{"B", "reduction", "find_elements"}}));
    target.last_positions[{"A", "reduction"}].step = "step_0";
    EXPECT_EQ(target.last_positions.at({"A", "reduction"}).step, "step_0");
    EXPECT_EQ(target.last_positions.at({"B", "histogram"}).step, "step_3");
    EXPECT_EQ(target.lesson, "reduction");
}

TEST(StoryProgress, AssignsEntriesWithoutADeviceToTheCurrentOne) {
    StoryProgress story_progress = make_example();
    const Prediction decided{.answer = {.choice = 0}, .outcome = Outcome{Result::right, {{9, 9, 9}}}};
    story_progress.predictions[{"", "gaussian", "question_0"}] = decided;   // from an earlier version
    story_progress.predictions[{"", "reduction", "question_0"}] = decided;  // shown while A was assumed
    story_progress.predictions[{"", "reduction", "question_5"}] = {
        .guess_text = "7"};  // typed before the device was open
    story_progress.seen_steps.insert({"", "gaussian", "step_0"});
    story_progress.last_positions[{"", "gaussian"}].step = "step_4";
    story_progress.solved_exercises.insert({"", "gaussian", "logistic"});
    story_progress.attempts[{"", "gaussian", "logistic"}] = 2;
    story_progress.assign_device("B");
    EXPECT_TRUE(story_progress.solved_exercises.contains({"B", "gaussian", "logistic"}));
    EXPECT_EQ(story_progress.attempts.at({"B", "gaussian", "logistic"}), 2U);
    EXPECT_EQ(story_progress.device, "B");
    EXPECT_TRUE(story_progress.predictions.at({"B", "gaussian", "question_0"}).outcome);
    EXPECT_FALSE(story_progress.predictions.contains({"B", "reduction", "question_0"}));
    EXPECT_EQ(story_progress.predictions.at({"A", "reduction", "question_0"}).guess_text, "79");
    EXPECT_EQ(story_progress.predictions.at({"B", "reduction", "question_5"}).guess_text, "7");
    EXPECT_TRUE(story_progress.seen_steps.contains({"B", "gaussian", "step_0"}));
    EXPECT_EQ(story_progress.last_positions.at({"B", "gaussian"}).step, "step_4");
    EXPECT_FALSE(story_progress.seen_steps.begin()->device.empty());
}

TEST(StoryProgress, AnswersFollowTheirQuestionWhenTheStoryIsEdited) {
    const auto ask = [](const std::string& id, const std::string& question) {
        return "```predict\nid: " + id + "\nquestion: " + question +
               "\nvalue: v\nguess: u | within 0\n```\n\n";
    };
    const ProgressKey many{"A", "reduction", "how_many"}, length{"A", "reduction", "how_long"};
    StoryProgress story_progress;
    story_progress.predictions[many] = {.guess_text = "79"};
    story_progress.predictions[length] = {.guess_text = "5"};
    story_progress.predictions[{"A", "histogram", "which_bin"}] = {.guess_text = "3"};
    story_progress = parse_progress_json(progress_json(story_progress));

    // The edited story has a new first step, the two questions in the other order and one of them reworded.
    const Story edited = parse_story("# T\n\n## New\n\n" + ask("how_high", "How high?") + "## B\n\n" +
                                         ask("how_long", "How long does it take?") + "## A\n\nText.\n\n" +
                                         ask("how_many", "How many?"),
                                     "told.md");
    StoryProgress moved = story_progress;
    EXPECT_EQ(remove_stale_predictions(moved, *find_course_entry("reduction"), edited), 0U);
    EXPECT_EQ(progress_json(moved), progress_json(story_progress));

    StoryProgress fewer = story_progress;
    EXPECT_EQ(
        remove_stale_predictions(fewer, *find_course_entry("reduction"),
                                 parse_story("# T\n\n## A\n\n" + ask("how_high", "How many?"), "told.md")),
        2U)
        << "the same words with another id are another question";
    EXPECT_EQ(fewer.predictions.size(), 1U) << "predictions of another lesson stay";
}

/// All progress in every lesson, in the format of the last version without ids.
nlohmann::ordered_json make_progress_without_ids(bool with_text) {
    auto seen = nlohmann::ordered_json::array(), positions = seen, predictions = seen, exercises = seen;
    const auto table = nlohmann::ordered_json::parse(read_file(data_directory() / "first_ids.json"));
    for (const auto& lesson : table) {
        const nlohmann::ordered_json lesson_entry = {{"device", "A"}, {"lesson", lesson.at("lesson")}};
        for (std::size_t step = 0; step < lesson.at("steps").size(); ++step) {
            auto place = lesson_entry;
            place["step"] = step;
            seen.push_back(place);
            for (const auto& question : lesson.at("steps")[step].at("questions")) {
                auto answer = place;
                // The text identifies the question; its place may be wrong.
                answer["step"] = with_text ? 0 : step;
                answer["block"] = with_text ? nlohmann::ordered_json(0) : question.at("block");
                if (with_text) answer["question"] = question.at("question");
                answer["skipped"] = true;
                predictions.push_back(std::move(answer));
            }
        }
        auto last = seen.back();
        last["at_end"] = true;
        positions.push_back(std::move(last));
        for (const auto& [name, id] : lesson.at("exercises").items()) {
            auto exercise = lesson_entry;
            exercise["name"] = name;
            exercises.push_back(std::move(exercise));
        }
    }
    return {{"seen", seen}, {"left", positions}, {"predictions", predictions}, {"made", exercises}};
}

TEST(StoryProgress, ReadsAllProgressFromBeforeThereWereIds) {
    for (const bool with_text : {true, false}) {
        const nlohmann::ordered_json old = make_progress_without_ids(with_text);
        StoryProgress story_progress = parse_progress_json(old);
        EXPECT_EQ(story_progress.seen_steps.size(), 222U);
        EXPECT_EQ(story_progress.predictions.size(), 177U);
        EXPECT_EQ(story_progress.last_positions.size(), 16U);
        EXPECT_EQ(story_progress.solved_exercises.size(), old.at("made").size());
        // Answers to the questions that are still asked stay, whichever story of the lesson asks them.
        std::set<ProgressKey> questions, steps;
        for (const CourseEntry& entry : course()) {
            for (const std::string& id : entry.question_ids)
                questions.insert({"A", entry.lesson->id, id});
            for (const std::string& id : entry.step_ids)
                steps.insert({"A", entry.lesson->id, id});
        }
        const std::size_t answers = story_progress.predictions.size();
        std::size_t dropped = 0;
        for (const CourseEntry& entry : course())
            dropped +=
                remove_stale_predictions(story_progress, entry, load_story(*entry.lesson, "en", entry.story));
        EXPECT_EQ(story_progress.predictions.size(), answers - dropped);
        EXPECT_GT(story_progress.predictions.size(), answers / 2);
        for (const auto& [key, prediction] : story_progress.predictions)
            EXPECT_TRUE(questions.contains(key)) << key.lesson << " " << key.id;
        EXPECT_GT(std::ranges::count_if(story_progress.seen_steps,
                                        [&](const ProgressKey& key) { return steps.contains(key); }),
                  static_cast<std::ptrdiff_t>(story_progress.seen_steps.size() / 2));
    }
    // Exported files count steps from 1.
    EXPECT_EQ(
        parse_progress_json(nlohmann::ordered_json::parse(R"({"seen":[{"lesson":"reduction","step":2}]})"), 1)
            .seen_steps.begin()
            ->id,
        "everyone_adds_to_one_counter");
    // An answer to an unknown question matches no question of the story.
    StoryProgress unknown = parse_progress_json(nlohmann::ordered_json::parse(
        R"({"predictions":[{"lesson":"reduction","step":0,"block":1,"question":"Why?","skipped":true}]})"));
    EXPECT_EQ(remove_stale_predictions(unknown, *find_course_entry("reduction"),
                                       load_story(*find_lesson("reduction"), "en")),
              1U);
}

TEST(StoryProgress, RefusesInvalidProgress) {
    const auto expect_refused = [](const char* text) {
        EXPECT_THROW(parse_progress_json(nlohmann::ordered_json::parse(text)), std::exception) << text;
    };
    expect_refused(R"({"seen":[{"lesson":"reduction"}]})");
    expect_refused(R"({"seen":[{"lesson":"reduction","step":-1.5e99}],"left":7})");
    expect_refused(R"({"predictions":[{"lesson":"reduction","step":1}]})");
    expect_refused(R"({"predictions":[{"lesson":"reduction","step":1,"block":2,"outcome":{"result":"maybe",)"
                   R"("right_choice":0,"afterwards":"","values":[]}}]})");
    expect_refused(R"({"predictions":[{"lesson":"reduction","step":1,"block":2,"order":["a"]}]})");
}

}  // namespace gridstride::story_progress_test

// What was learned as a value: in files and back, from two places into one.
#include "learned/learned.h"

#include <exception>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "test_includes.h"

namespace gridstride::learned_test {

using Result = Outcome::Result;

Learned one_of_each() {
    Learned learned{.device = "A", .lesson = "histogram"};
    learned.seen = {{"A", "reduction", "step_0"}, {"A", "reduction", "step_1"}, {"B", "histogram", "step_3"}};
    learned.left = {{{"A", "reduction"}, {"step_1"}}, {{"B", "histogram"}, {"step_3", true}}};
    learned.made = {{"A", "reduction", "maximum"}, {"B", "reduction", "find_elements"}};
    auto& all = learned.predictions;
    all[{"A", "reduction", "question_0"}] = {
        .guess_text = "79", .outcome = Outcome{Result::wrong, {{80, 79.5, 81}}, 0, "No: µ."}};
    all[{"A", "reduction", "question_1"}] = {.answer = {.choice = 1}, .skipped = true};
    all[{"A", "reduction", "question_2"}] = {.answer = {.order = {2, 0, 1}},
                                             .outcome = Outcome{Result::undecided, {{1, 1, 1}}, 0, ""}};
    all[{"B", "histogram", "question_3"}] = {.answer = {.marks = {0.5, 3e9}}};
    return learned;
}

TEST(Learned, GoesIntoAFileAndBack) {
    const Learned learned = one_of_each();
    const Learned back = parse_learned(nlohmann::ordered_json::parse(learned_json(learned).dump()));
    EXPECT_EQ(learned_json(back), learned_json(learned));
    EXPECT_EQ(back.seen, learned.seen);
    EXPECT_EQ(back.left, learned.left);
    EXPECT_EQ(back.made, learned.made);
    const Prediction& first = back.predictions.begin()->second;
    EXPECT_EQ(first.guess_text, "79");
    EXPECT_EQ(first.outcome->result, Result::wrong);
    EXPECT_EQ(first.outcome->values.front().high, 81);
    EXPECT_EQ(back.predictions.at({"A", "reduction", "question_2"}).answer.order,
              (std::vector<std::size_t>{2, 0, 1}));
    EXPECT_TRUE(back.predictions.at({"A", "reduction", "question_1"}).skipped);
    EXPECT_EQ(back.predictions.at({"B", "histogram", "question_3"}).answer.marks.back(), 3e9);
}

TEST(Learned, NothingBegunIsNotKeptAndABoundWithoutEndIs) {
    Learned learned;
    learned.predictions[{"A", "reduction", "question_0"}] = {};
    EXPECT_TRUE(learned_json(learned)["predictions"].empty());
    constexpr double endless = std::numeric_limits<double>::infinity();
    learned.predictions[{"A", "reduction", "question_0"}].outcome =
        Outcome{Result::right, {{2, -endless, endless}}};
    const std::string text = learned_json(learned).dump();
    EXPECT_EQ(parse_learned(nlohmann::ordered_json::parse(text))
                  .predictions.begin()
                  ->second.outcome->values.front()
                  .value,
              2);
}

TEST(Learned, WhatIsClosedStaysAndWhatWasSeenIsSeen) {
    const LearnedKey key{"A", "reduction", "question_0"}, other{"A", "reduction", "question_1"};
    const auto with = [](const LearnedKey& where, Prediction prediction) {
        Learned learned;
        learned.predictions[where] = std::move(prediction);
        return learned;
    };
    const Prediction typed{.guess_text = "8"};
    const Prediction decided{.guess_text = "9", .outcome = Outcome{Result::right, {{9, 9, 9}}}};
    Learned mine = with(key, typed);
    EXPECT_EQ(merge(mine, with(key, decided)), 1U);
    EXPECT_EQ(mine.predictions.at(key).guess_text, "9");
    EXPECT_EQ(merge(mine, with(key, typed)), 0U);
    EXPECT_EQ(merge(mine, with(key, {.guess_text = "1", .skipped = true})), 0U);
    EXPECT_EQ(mine.predictions.at(key).guess_text, "9");
    EXPECT_EQ(merge(mine, with(other, typed)), 1U);

    mine.seen = {{"A", "reduction", "step_0"}};
    mine.left[{"A", "reduction"}].step = "step_0";
    mine.lesson = "reduction";
    const Learned theirs = one_of_each();
    merge(mine, theirs);
    EXPECT_EQ(mine.seen, theirs.seen);
    EXPECT_EQ(mine.made, theirs.made);
    mine.forget("A", "reduction");
    EXPECT_EQ(mine.made, (std::set<LearnedKey>{{"B", "reduction", "find_elements"}}));
    mine.left[{"A", "reduction"}].step = "step_0";
    EXPECT_EQ(mine.left.at({"A", "reduction"}).step, "step_0");
    EXPECT_EQ(mine.left.at({"B", "histogram"}).step, "step_3");
    EXPECT_EQ(mine.lesson, "reduction");
}

TEST(Learned, WhatHasNoDeviceBelongsToTheOneThatIsThere) {
    Learned learned = one_of_each();
    const Prediction decided{.answer = {.choice = 0}, .outcome = Outcome{Result::right, {{9, 9, 9}}}};
    learned.predictions[{"", "gaussian", "question_0"}] = decided;               // of an earlier version
    learned.predictions[{"", "reduction", "question_0"}] = decided;              // shown while A was assumed
    learned.predictions[{"", "reduction", "question_5"}] = {.guess_text = "7"};  // typed meanwhile
    learned.seen.insert({"", "gaussian", "step_0"});
    learned.left[{"", "gaussian"}].step = "step_4";
    learned.made.insert({"", "gaussian", "logistic"});
    learned.belongs_to("B");
    EXPECT_TRUE(learned.made.contains({"B", "gaussian", "logistic"}));
    EXPECT_EQ(learned.device, "B");
    EXPECT_TRUE(learned.predictions.at({"B", "gaussian", "question_0"}).outcome);
    EXPECT_FALSE(learned.predictions.contains({"B", "reduction", "question_0"}));
    EXPECT_EQ(learned.predictions.at({"A", "reduction", "question_0"}).guess_text, "79");
    EXPECT_EQ(learned.predictions.at({"B", "reduction", "question_5"}).guess_text, "7");
    EXPECT_TRUE(learned.seen.contains({"B", "gaussian", "step_0"}));
    EXPECT_EQ(learned.left.at({"B", "gaussian"}).step, "step_4");
    EXPECT_FALSE(learned.seen.begin()->device.empty());
}

TEST(Learned, AnAnswerStaysWithItsQuestionWhenTheStoryIsEdited) {
    const auto ask = [](const std::string& id, const std::string& question) {
        return "```predict\nid: " + id + "\nquestion: " + question +
               "\nvalue: v\nguess: u | within 0\n```\n\n";
    };
    const LearnedKey many{"A", "reduction", "how_many"}, length{"A", "reduction", "how_long"};
    Learned learned;
    learned.predictions[many] = {.guess_text = "79"};
    learned.predictions[length] = {.guess_text = "5"};
    learned.predictions[{"A", "histogram", "which_bin"}] = {.guess_text = "3"};
    learned = parse_learned(learned_json(learned));

    // Another step before them, their order the other way round, and one of them in other words.
    const Story edited = parse_story("# T\n\n## New\n\n" + ask("how_high", "How high?") + "## B\n\n" +
                                         ask("how_long", "How long does it take?") + "## A\n\nText.\n\n" +
                                         ask("how_many", "How many?"),
                                     "told.md");
    Learned moved = learned;
    EXPECT_EQ(drop_unfit_answers(moved, "reduction", edited), 0U);
    EXPECT_EQ(learned_json(moved), learned_json(learned));

    Learned fewer = learned;
    EXPECT_EQ(drop_unfit_answers(fewer, "reduction",
                                 parse_story("# T\n\n## A\n\n" + ask("how_high", "How many?"), "told.md")),
              2U)
        << "the same words under another id are another question";
    EXPECT_EQ(fewer.predictions.size(), 1U) << "another lesson's stay";
}

/// Everything that the version before ids could keep of every lesson, as it wrote it.
nlohmann::ordered_json all_by_number(bool with_text) {
    auto seen = nlohmann::ordered_json::array(), left = seen, predictions = seen, made = seen;
    const auto table = nlohmann::ordered_json::parse(read_file(data_directory() / "first_ids.json"));
    for (const auto& lesson : table) {
        const nlohmann::ordered_json of = {{"device", "A"}, {"lesson", lesson.at("lesson")}};
        for (std::size_t step = 0; step < lesson.at("steps").size(); ++step) {
            auto place = of;
            place["step"] = step;
            seen.push_back(place);
            for (const auto& question : lesson.at("steps")[step].at("questions")) {
                auto answer = place;
                // Found by its text, wherever it stood.
                answer["step"] = with_text ? 0 : step;
                answer["block"] = with_text ? nlohmann::ordered_json(0) : question.at("block");
                if (with_text) answer["question"] = question.at("question");
                answer["skipped"] = true;
                predictions.push_back(std::move(answer));
            }
        }
        auto last = seen.back();
        last["at_end"] = true;
        left.push_back(std::move(last));
        for (const auto& [name, id] : lesson.at("exercises").items()) {
            auto exercise = of;
            exercise["name"] = name;
            made.push_back(std::move(exercise));
        }
    }
    return {{"seen", seen}, {"left", left}, {"predictions", predictions}, {"made", made}};
}

TEST(Learned, NothingThatWasKeptBeforeThereWereIdsIsLost) {
    for (const bool with_text : {true, false}) {
        const nlohmann::ordered_json old = all_by_number(with_text);
        Learned learned = parse_learned(old);
        EXPECT_EQ(learned.seen.size(), 222U);
        EXPECT_EQ(learned.predictions.size(), 177U);
        EXPECT_EQ(learned.left.size(), 16U);
        EXPECT_EQ(learned.made.size(), old.at("made").size());
        for (const Lesson* lesson : all_lessons()) {
            const Story story = load_story(*lesson, "en");
            EXPECT_EQ(drop_unfit_answers(learned, lesson->id, story), 0U) << lesson->id;
            EXPECT_EQ(learned.left.at({"A", lesson->id}).step, story.steps.back().id);
            std::set<std::string> steps, exercises;
            for (const StoryStep& step : story.steps) {
                steps.insert(step.id);
                if (const MakeBlock* const make = made_at(step)) exercises.insert(make->id);
            }
            for (const LearnedKey& key : learned.seen)
                EXPECT_TRUE(key.lesson != lesson->id || steps.contains(key.id)) << key.id;
            for (const LearnedKey& key : learned.made)
                EXPECT_TRUE(key.lesson != lesson->id || exercises.contains(key.id)) << key.id;
        }
    }
    // Counted from 1 in a file that was exported.
    EXPECT_EQ(parse_learned(nlohmann::ordered_json::parse(R"({"seen":[{"lesson":"reduction","step":2}]})"), 1)
                  .seen.begin()
                  ->id,
              "everyone_adds_to_one_counter");
    // What its stories did not ask stays an answer that no question has.
    Learned unknown = parse_learned(nlohmann::ordered_json::parse(
        R"({"predictions":[{"lesson":"reduction","step":0,"block":1,"question":"Why?","skipped":true}]})"));
    EXPECT_EQ(drop_unfit_answers(unknown, "reduction", load_story(*find_lesson("reduction"), "en")), 1U);
}

TEST(Learned, WhatNobodyWroteIsRefused) {
    const auto refused = [](const char* text) {
        EXPECT_THROW(parse_learned(nlohmann::ordered_json::parse(text)), std::exception) << text;
    };
    refused(R"({"seen":[{"lesson":"reduction"}]})");
    refused(R"({"seen":[{"lesson":"reduction","step":-1.5e99}],"left":7})");
    refused(R"({"predictions":[{"lesson":"reduction","step":1}]})");
    refused(R"({"predictions":[{"lesson":"reduction","step":1,"block":2,"outcome":{"result":"maybe",)"
            R"("right_choice":0,"afterwards":"","values":[]}}]})");
    refused(R"({"predictions":[{"lesson":"reduction","step":1,"block":2,"order":["a"]}]})");
}

}  // namespace gridstride::learned_test

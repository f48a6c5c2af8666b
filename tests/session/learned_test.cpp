// What was learned as a value: in files and back, from two places into one.
#include "learned/learned.h"

#include <gtest/gtest.h>

#include <exception>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace gridstride {
namespace {

using Result = Outcome::Result;

Learned one_of_each() {
    Learned learned{.device = "A", .lesson = "histogram"};
    learned.seen = {{"A", "reduction", 0}, {"A", "reduction", 1}, {"B", "histogram", 3}};
    learned.left = {{{"A", "reduction"}, {1}}, {{"B", "histogram"}, {3, true}}};
    learned.made = {{"A", "reduction", "maximum"}, {"B", "reduction", "find elements"}};
    auto& all = learned.predictions;
    all[{{"A", "reduction", 0}, 1}] = {.guess_text = "79",
                                       .outcome = Outcome{Result::wrong, {{80, 79.5, 81}}, 0, "No: µ."}};
    all[{{"A", "reduction", 1}, 2}] = {.answer = {.choice = 1}, .skipped = true};
    all[{{"A", "reduction", 2}, 2}] = {.answer = {.order = {2, 0, 1}},
                                       .outcome = Outcome{Result::undecided, {{1, 1, 1}}, 0, ""}};
    all[{{"B", "histogram", 3}, 2}] = {.answer = {.marks = {0.5, 3e9}}};
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
    EXPECT_EQ(back.predictions.at({{"A", "reduction", 2}, 2}).answer.order,
              (std::vector<std::size_t>{2, 0, 1}));
    EXPECT_TRUE(back.predictions.at({{"A", "reduction", 1}, 2}).skipped);
    EXPECT_EQ(back.predictions.at({{"B", "histogram", 3}, 2}).answer.marks.back(), 3e9);
}

TEST(Learned, NothingBegunIsNotKeptAndABoundWithoutEndIs) {
    Learned learned;
    learned.predictions[{{"A", "reduction", 0}, 1}] = {};
    EXPECT_TRUE(learned_json(learned)["predictions"].empty());
    constexpr double endless = std::numeric_limits<double>::infinity();
    learned.predictions[{{"A", "reduction", 0}, 1}].outcome =
        Outcome{Result::right, {{2, -endless, endless}}};
    const std::string text = learned_json(learned).dump();
    EXPECT_EQ(parse_learned(nlohmann::ordered_json::parse(text))
                  .predictions.begin()
                  ->second.outcome->values.front()
                  .value,
              2);
}

TEST(Learned, WhatIsClosedStaysAndWhatWasSeenIsSeen) {
    const PredictionKey key{{"A", "reduction", 0}, 1}, other{{"A", "reduction", 1}, 2};
    const auto with = [](const PredictionKey& where, Prediction prediction) {
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

    mine.seen = {{"A", "reduction", 0}};
    mine.left[{"A", "reduction"}].step = 0;
    mine.lesson = "reduction";
    const Learned theirs = one_of_each();
    merge(mine, theirs);
    EXPECT_EQ(mine.seen, theirs.seen);
    EXPECT_EQ(mine.made, theirs.made);
    mine.forget("A", "reduction");
    EXPECT_EQ(mine.made, (std::set<MadeKey>{{"B", "reduction", "find elements"}}));
    mine.left[{"A", "reduction"}].step = 0;
    EXPECT_EQ(mine.left.at({"A", "reduction"}).step, 0U);
    EXPECT_EQ(mine.left.at({"B", "histogram"}).step, 3U);
    EXPECT_EQ(mine.lesson, "reduction");
}

TEST(Learned, WhatHasNoDeviceBelongsToTheOneThatIsThere) {
    Learned learned = one_of_each();
    const Prediction decided{.answer = {.choice = 0}, .outcome = Outcome{Result::right, {{9, 9, 9}}}};
    learned.predictions[{{"", "gaussian", 0}, 1}] = decided;               // of an earlier version
    learned.predictions[{{"", "reduction", 0}, 1}] = decided;              // shown while A was assumed
    learned.predictions[{{"", "reduction", 5}, 1}] = {.guess_text = "7"};  // typed meanwhile
    learned.seen.insert({"", "gaussian", 0});
    learned.left[{"", "gaussian"}].step = 4;
    learned.made.insert({"", "gaussian", "logistic"});
    learned.belongs_to("B");
    EXPECT_TRUE(learned.made.contains({"B", "gaussian", "logistic"}));
    EXPECT_EQ(learned.device, "B");
    EXPECT_TRUE(learned.predictions.at({{"B", "gaussian", 0}, 1}).outcome);
    EXPECT_FALSE(learned.predictions.contains({{"B", "reduction", 0}, 1}));
    EXPECT_EQ(learned.predictions.at({{"A", "reduction", 0}, 1}).guess_text, "79");
    EXPECT_EQ(learned.predictions.at({{"B", "reduction", 5}, 1}).guess_text, "7");
    EXPECT_TRUE(learned.seen.contains({"B", "gaussian", 0}));
    EXPECT_EQ(learned.left.at({"B", "gaussian"}).step, 4U);
    EXPECT_FALSE(learned.seen.begin()->device.empty());
}

TEST(Learned, AnAnswerStaysWithItsQuestionWhenTheStoryIsEdited) {
    const auto ask = [](const std::string& question) {
        return "```predict\nquestion: " + question + "\nvalue: v\nguess: u | within 0\n```\n\n";
    };
    const PredictionKey first{{"A", "reduction", 0}, 0}, second{{"A", "reduction", 1}, 0};
    Learned learned;
    learned.predictions[first] = {.question = "How many?", .guess_text = "79"};
    learned.predictions[second] = {.question = "How long?", .guess_text = "5"};
    learned.predictions[{{"A", "histogram", 0}, 0}] = {.question = "Which bin?", .guess_text = "3"};
    learned = parse_learned(learned_json(learned));

    // A step before them, their order the other way round, and another question in the place of the first.
    const Story edited = parse_story("# T\n\n## New\n\n" + ask("How high?") + "## B\n\n" + ask("How long?") +
                                         "## A\n\nText.\n\n" + ask("How many?"),
                                     "told.md");
    Learned moved = learned;
    EXPECT_EQ(settle_in(moved, "reduction", edited), 0U);
    EXPECT_FALSE(moved.predictions.contains(first)) << "an old answer to a new question";
    EXPECT_EQ(moved.predictions.at(second).guess_text, "5");
    EXPECT_EQ(moved.predictions.at({{"A", "reduction", 2}, 1}).guess_text, "79");
    EXPECT_EQ(moved.predictions.size(), 3U) << "another lesson's stay";

    Learned fewer = learned;
    EXPECT_EQ(settle_in(fewer, "reduction", parse_story("# T\n\n## A\n\n" + ask("How high?"), "told.md")),
              2U);
    EXPECT_EQ(fewer.predictions.size(), 1U);

    // Earlier versions kept no text: by place.
    Learned old;
    old.predictions[second] = {.guess_text = "5"};
    EXPECT_EQ(settle_in(old, "reduction", edited), 0U);
    EXPECT_TRUE(old.predictions.contains(second));
    old.predictions[{{"A", "reduction", 9}, 0}] = {.guess_text = "5"};
    EXPECT_EQ(settle_in(old, "reduction", edited), 1U);
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

}  // namespace
}  // namespace gridstride

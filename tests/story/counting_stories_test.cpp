// Tests the questions of the histogram and hidden layer stories. assets/manual/writing_a_story.md says what
// makes a question fair.

#include "story/glossary.h"
#include "story/story.h"
#include "test_includes.h"

namespace gridstride::counting_stories_test {

Story load_english(const std::string& lesson) {
    return load_story(*find_lesson(lesson), "en");
}

std::vector<const PredictBlock*> list_questions(const Story& story) {
    std::vector<const PredictBlock*> all;
    for (const StoryStep& step : story.steps)
        for (const std::size_t block : question_blocks(step))
            all.push_back(&get_question(step, block));
    return all;
}

/// Returns the step whose question asks for this metric.
const StoryStep& find_step_asking(const Story& story, const std::string& metric) {
    for (const StoryStep& step : story.steps)
        for (const std::size_t block : question_blocks(step))
            if (get_question(step, block).value.value.metric == metric) return step;
    throw std::runtime_error("no step asks for " + metric);
}
const PredictBlock& get_question(const StoryStep& step) {
    return get_question(step, question_blocks(step).at(0));
}

/// Returns the pictures that are visible while the question is open.
std::vector<std::string> plots_before_question(const StoryStep& step) {
    std::vector<std::string> plots;
    for (const StepPicture& picture : step_pictures(step))
        if (picture.block < question_blocks(step).at(0)) plots.push_back(picture.plot);
    return plots;
}

class CountingStories : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, CountingStories, ::testing::Values("histogram", "hidden_layer"),
                         [](const auto& lesson) { return std::string(lesson.param); });

TEST_P(CountingStories, ExplainInNineToThirteenStepsAndEndWithExercises) {
    const Story story = load_english(GetParam());
    // Steps with exercises follow these steps.
    const auto first_exercise =
        std::ranges::find_if(story.steps, [](const auto& step) { return find_make_block(step) != nullptr; });
    const std::span<const StoryStep> steps(story.steps.begin(), first_exercise);
    EXPECT_GE(steps.size(), 9u);
    EXPECT_LE(steps.size(), 13u);
    EXPECT_TRUE(question_blocks(steps.back()).empty());
    EXPECT_TRUE(std::all_of(first_exercise, story.steps.end(),
                            [](const auto& step) { return find_make_block(step) != nullptr; }));
    for (const StoryStep& step : steps) {
        SCOPED_TRACE(step.title);
        // A step may also have a question that a trace decides.
        EXPECT_LE(std::ranges::count_if(question_blocks(step),
                                        [&](std::size_t block) {
                                            const auto& predict = get_question(step, block);
                                            return metric_origin(predict.value) == "measured";
                                        }),
                  1);
        const std::size_t controls = step_controls(step).size();
        EXPECT_GE(controls, 1u);
        EXPECT_LE(controls, 4u);
    }
}

TEST(HistogramStory, AsksForAnOrderAndForMarks) {
    const Story story = load_english("histogram");
    const auto any_question = [&](auto condition) {
        return std::ranges::any_of(list_questions(story), condition);
    };
    EXPECT_TRUE(any_question([](const PredictBlock* predict) { return !predict->items.empty(); }));
    EXPECT_TRUE(any_question([](const PredictBlock* predict) { return !predict->marks.empty(); }));
}

TEST_P(CountingStories, AnswerEveryWrongChoiceWithAReason) {
    const Story story = load_english(GetParam());
    for (const PredictBlock* predict : list_questions(story)) {
        SCOPED_TRACE(predict->question);
        if (!predict->choices.empty()) {
            EXPECT_GE(predict->choices.size(), 3u);
        }
        for (const PredictChoice& choice : predict->choices) {
            EXPECT_THAT(choice.label, HasSubstr(": ")) << "a choice gives a reason and not only a size";
            EXPECT_FALSE(choice.why.empty()) << choice.label;
        }
        if (predict->guess) {
            EXPECT_GE(predict->guess->common_guesses.size(), 3u);
        }
    }
}

TEST_P(CountingStories, MentionTheSoftwareDeviceOnlyIfOneRan) {
    const Story story = load_english(GetParam());
    for (const PredictBlock* predict : list_questions(story)) {
        const auto expect = [](const Feedback& feedback) {
            EXPECT_THAT(feedback.sentence, Not(HasSubstr("software device")));
            EXPECT_THAT(feedback.neutral, Not(HasSubstr("software device")));
            for (const Cause& cause : feedback.causes)
                if (cause.sentence.find("software device") != std::string::npos) {
                    EXPECT_EQ(cause.what.value.metric, "is_cpu_device");
                }
        };
        expect(predict->after);
        for (const PredictChoice& choice : predict->choices) {
            expect(choice.feedback);
            EXPECT_THAT(choice.why, Not(HasSubstr("software device")));
        }
    }
}

TEST(HiddenLayerStory, ExplainsTheMainTerms) {
    const Story story = load_english("hidden_layer");
    for (const char* word : {"fusion", "register", "arithmetic intensity", "divergence"}) {
        const bool is_linked = std::ranges::any_of(story.steps, [&](const StoryStep& step) {
            return std::ranges::any_of(step.terms, [&](const TermLink& term) { return term.name == word; });
        });
        EXPECT_TRUE(is_linked) << word;
    }
}

TEST(HistogramStory, MarksQuestionsThatChanceDecides) {
    const Story story = load_english("histogram");
    for (const char* metric : {"ignored", "lost"})
        EXPECT_TRUE(get_question(find_step_asking(story, metric)).is_by_chance) << metric;
}

TEST(HiddenLayerStory, ShowsNoKernelThatAnswersItsQuestion) {
    const Story story = load_english("hidden_layer");
    for (const Block& block : find_step_asking(story, "wrong_fraction").blocks)
        if (const auto* kernel = std::get_if<KernelBlock>(&block)) {
            EXPECT_NE(kernel->region, "stable") << "the comments of this region answer the question";
        }
}

TEST(HiddenLayerStory, ShowsNoMeasurementBeforeItsQuestion) {
    const Story story = load_english("hidden_layer");
    for (const StoryStep& step : story.steps)
        if (!question_blocks(step).empty()) {
            EXPECT_THAT(plots_before_question(step), Not(Contains("timeline"))) << step.title;
            EXPECT_FALSE(plots_before_question(step).empty()) << step.title;
        }
}

}  // namespace gridstride::counting_stories_test

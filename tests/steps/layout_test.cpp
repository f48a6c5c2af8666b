// Every step of every lesson, before an answer and with the longest verdict: nothing is cut off, and nothing
// overlaps.
#include "base/text.h"
#include "story/feedback.h"
#include "test_includes.h"
#include "ui/step_frames.h"

namespace gridstride::ui::layout_test {

/// The longest verdict: the longest feedback of a choice, then the longest explanation of a wrong answer,
/// then the text after the question.
Outcome longest_outcome(const PredictBlock& predict, Answer& answer) {
    Outcome outcome{.result = Outcome::Result::wrong};
    const std::size_t values = std::max<std::size_t>(predict.items.size() + predict.marks.size(), 1);
    for (std::size_t i = 0; i < values; ++i)
        outcome.values.push_back({72.4 + static_cast<double>(i), 71, 90});
    const auto longest_text = [](const Feedback& feedback) {
        std::string longest = feedback.neutral;
        for (const Cause& cause : feedback.causes)
            if (cause.sentence.size() > longest.size()) longest = cause.sentence;
        return feedback.sentence + " " + longest + " ";
    };
    std::string words, why;
    for (std::size_t i = 0; i < predict.choices.size(); ++i)
        if (const std::string one = longest_text(predict.choices[i].feedback); one.size() > words.size()) {
            words = one;
            outcome.right_choice = i;
        }
    for (std::size_t i = 0; i < predict.choices.size(); ++i)
        if (i != outcome.right_choice && predict.choices[i].why.size() >= why.size()) {
            why = predict.choices[i].why;
            answer.choice = i;
        }
    if (predict.guess)
        for (const PredictGuess::CommonGuess& near : predict.guess->common_guesses)
            if (near.sentence.size() > why.size()) why = near.sentence;
    outcome.why_wrong = fill_placeholders(why, predict, outcome.values);
    outcome.explanation = fill_placeholders(words + longest_text(predict.after), predict, outcome.values);
    return outcome;
}

/// The widgets that take the answer.
std::vector<std::string> answer_widgets(const PredictBlock& question, std::size_t block) {
    if (question.guess) return {fmt::format("story.guess.{}", block)};
    std::vector<std::string> parts;
    const auto add = [&](const char* kind, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i)
            parts.push_back(fmt::format("story.{}.{}.{}", kind, block, i));
    };
    add("predict", question.choices.size());
    add("order", question.items.size());
    add("mark", question.marks.size());
    return parts;
}

/// The width or the height of the overlap, whichever is less.
float overlap(const Rect& a, const Rect& b) {
    const Rect both = a.clipped_to(b);
    return std::min(both.width(), both.height());
}

struct WindowCase {
    float width, height, scale;
    std::size_t number;
};
class EveryStep : public Steps, public testing::WithParamInterface<WindowCase> {
 protected:
    static bool smallest() { return GetParam().width < 1000; }
    /// Checks that the card, the buttons, the leading plot and the scroll hint are fully visible.
    void check_widgets(std::size_t step) {
        for (const char* button : {"story.back", "story.next"})
            expect_whole(button);
        if (const auto block = pinned_question(workspace_)) {
            const std::string card = fmt::format("story.card.{}.{}", step, *block);
            expect_whole(card);
            const bool closed = session_.prediction(*block).is_closed();
            // In the smallest window a long verdict scrolls.
            if (const WidgetRect* drawn = find(card);
                drawn && drawn->kind != "card" && !(closed && smallest()))
                add_problem(card + " scrolls");
            if (!closed) {
                expect_whole("story.decide");
                for (const std::string& part : answer_widgets(question_at(workspace_, *block).block, *block))
                    expect_whole(part);
            }
        }
        const auto& widgets = widget_map();
        if (const WidgetRect* more = find("story.more")) {
            expect_whole("story.more");
            for (const WidgetRect& one : widgets)
                if ((one.id == "story.footer" || one.id.starts_with("story.card")) &&
                    overlap({one.min, one.max}, {more->min, more->max}) > 0)
                    add_problem(one.id + " overlaps story.more");
        }
        const auto lead = std::ranges::find(widgets, "plot", &WidgetRect::kind);
        if (lead == widgets.end()) return;
        expect_whole(lead->id);
        // The height of lanes depends on their rows, so only the width is checked.
        if (lead->max.x - lead->min.x < 0.4F * size_.x) add_problem(lead->id + " is too small to be read");
    }
    /// Checks that no text is cut off or overlaps another. In the smallest window, labels end in an ellipsis.
    void check_texts() {
        std::vector<DrawnText> texts = drawn_texts();
        // In the third window, which has large text, some labels end in an ellipsis.
        const bool has_room = GetParam().number != 2 && !smallest();
        for (const std::string& id : step_controls(story_step())) {
            const Parameter* const parameter = gridstride::find(session_.lesson().parameters, id);
            const WidgetRect* const slider = UiFrames::find("bench." + id);
            if (has_room && parameter && slider && slider->kind == "slider" &&
                std::ranges::find(texts, parameter->label, &DrawnText::text) == texts.end())
                add_problem("the label is cut off: " + parameter->label);
        }
        const WidgetRect* const editor = UiFrames::find("kernel.text");
        std::erase_if(texts, [editor](const DrawnText& one) {
            // Code scrolls sideways.
            if (editor && one.rect.min.x >= editor->min.x && one.rect.min.y >= editor->min.y) return true;
            return one.text.find_first_not_of(' ') == std::string::npos || one.visible_area.width() <= 0 ||
                   // Partly scrolled text lies under the edge of its panel.
                   one.visible_area.height() < one.rect.height() - 3;
        });
        for (std::size_t i = 0; i < texts.size(); ++i) {
            if (!smallest() && texts[i].visible_area.width() < texts[i].rect.width() - 2)
                add_problem("cut off: " + texts[i].text);
            for (std::size_t j = i + 1; j < texts.size(); ++j)
                if (overlap(texts[i].visible_area, texts[j].visible_area) > 3 * GetParam().scale)
                    add_problem(fmt::format("\"{}\" overlaps \"{}\"", texts[j].text, texts[i].text));
        }
    }
};

// The third window is a laptop with large text, the fourth is on a desktop, the last is the smallest
// possible.
INSTANTIATE_TEST_SUITE_P(Windows, EveryStep,
                         testing::Values(WindowCase{1280, 720, 1, 0}, WindowCase{1366, 768, 1, 1},
                                         WindowCase{1920, 1080, 1.5F, 2}, WindowCase{1600, 1000, 1, 3},
                                         WindowCase{960, 540, 1, 4}));

TEST_P(EveryStep, NothingIsCutOffBeforeAndAfterAnAnswer) {
    const auto [width, height, scale, number] = GetParam();
    std::size_t verdicts = 0;
    // Each step is shown in one of the five windows, with --full in all.
    const auto windows = static_cast<std::size_t>(sample_of(5, 1));
    const auto check_step = [&](const LessonStep& lesson_step) {
        const std::string location = location_;
        check_widgets(lesson_step.step);
        check_texts();
        while (const auto block = session_.open_question()) {
            const PredictBlock& predict = *question();
            decide_open_question();
            Prediction& prediction = session_.prediction(*block);
            prediction.outcome = longest_outcome(predict, prediction.answer);
            prediction.problem.clear();
            workspace_.last_decided = question_at(workspace_, *block).name();
            location_ = fmt::format("{}, question {} answered", location, *block);
            refresh_pictures();
            ++verdicts;
            if (pinned_question(workspace_) != block) add_problem("the verdict does not stay");
            check_widgets(lesson_step.step);
            check_texts();
        }
    };
    for_each_step({width, height}, scale, check_step, windows, number);
    EXPECT_GT(verdicts, 20 * windows);
    EXPECT_THAT(problems_, IsEmpty()) << join(problems_, "\n");
}

}  // namespace gridstride::ui::layout_test

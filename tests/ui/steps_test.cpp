// Every step of every lesson as a student first sees it: nothing is cut off, nothing lies on something else,
// and nothing in the window answers a question before it is asked.
#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "base/text.h"
#include "lesson/computed_report.h"
#include "ui/learn_frames.h"

namespace gridstride::ui {
namespace {

using testing::IsEmpty;

class Steps : public LearnFrames {
 protected:
    struct Place {
        const Lesson* lesson;
        std::size_t step;
        glm::vec2 window;
        float scale;
    };
    /// look(place) at every step of every lesson, with what of its pictures can be computed.
    void at_each_step(glm::vec2 window, float scale, const std::function<void(const Place&)>& look) {
        look_like(window, scale);
        for (const Lesson* lesson : all_lessons()) {
            open(*lesson);
            for (std::size_t step = 0; step < session_.story().steps.size(); ++step) {
                session_.go_to_step(step);
                workspace_.refresh_plots();
                frames();
                const Place place{lesson, step, window, scale};
                here_ = fmt::format("{} {} ({}) at {} x {}, {:.0f} %", lesson->id, step + 1,
                                    story_step().title, window.x, window.y, scale * 100);
                look(place);
            }
        }
    }
    const StoryStep& story_step() const { return session_.story().steps[session_.step()]; }
    /// The step's open question; null when it has none.
    const PredictBlock* question() const {
        const auto block = session_.open_question();
        return block ? &std::get<PredictBlock>(story_step().blocks[*block]) : nullptr;
    }
    void found(const std::string& problem) { problems_.push_back(here_ + ": " + problem); }

    /// A widget that is there, whole and inside the window.
    void expect_whole(const std::string& id) {
        const WidgetRect* widget = find(id);
        if (!widget)
            found(id + " is not there");
        else if (!widget->whole || !Rect{{0, 0}, size_}.contains(Rect{widget->min, widget->max}))
            found(id + " is cut off");
    }

    std::vector<std::string> problems_;

 private:
    std::string here_;
};

/// The widgets that take the answer.
std::vector<std::string> parts_of(const PredictBlock& question, std::size_t block) {
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

/// How far two lie in each other, in the direction in which it is less.
float overlap(const Rect& a, const Rect& b) {
    const Rect both = a.clipped_to(b);
    return std::min(both.width(), both.height());
}

struct WindowOf {
    float width, height, scale;
};
class EveryStep : public Steps, public testing::WithParamInterface<WindowOf> {};

// The third is a laptop whose letters are large, the last a window on a desk.
INSTANTIATE_TEST_SUITE_P(Windows, EveryStep,
                         testing::Values(WindowOf{1280, 720, 1}, WindowOf{1366, 768, 1},
                                         WindowOf{1920, 1080, 1.5F}, WindowOf{1600, 1000, 1}));

TEST_P(EveryStep, ShowsItsQuestionItsButtonsAndItsPictureWhole) {
    const auto [width, height, scale] = GetParam();
    at_each_step({width, height}, scale, [&](const Place& place) {
        for (const char* button : {"story.back", "story.next"})
            expect_whole(button);
        if (const PredictBlock* asked = question()) {
            const std::size_t block = *session_.open_question();
            expect_whole(fmt::format("story.card.{}.{}", place.step, block));
            expect_whole("story.decide");
            for (const std::string& part : parts_of(*asked, block))
                expect_whole(part);
        }
        const auto& widgets = widget_map();
        const auto lead = std::ranges::find(widgets, "plot", &WidgetRect::kind);
        if (lead == widgets.end()) return;
        expect_whole(lead->id);
        // Lanes are as high as their rows want; nothing is narrower than this.
        if (lead->max.x - lead->min.x < 0.4F * size_.x) found(lead->id + " is too small to be read");
    });
    EXPECT_THAT(problems_, IsEmpty()) << joined(problems_, "\n");
}

TEST_P(EveryStep, CutsNoTextOffAndSetsNoneOnAnother) {
    const auto [width, height, scale] = GetParam();
    at_each_step({width, height}, scale, [&](const Place&) {
        std::vector<DrawnText> texts = drawn_texts();
        std::erase_if(texts, [](const DrawnText& one) {
            return one.text.find_first_not_of(' ') == std::string::npos || one.seen.width() <= 0 ||
                   // What is scrolled away in part lies under its panel's edge.
                   one.seen.height() < one.rect.height() - 3;
        });
        for (std::size_t i = 0; i < texts.size(); ++i) {
            if (texts[i].seen.width() < texts[i].rect.width() - 2) found("cut off: " + texts[i].text);
            for (std::size_t j = i + 1; j < texts.size(); ++j)
                if (overlap(texts[i].seen, texts[j].seen) > 3 * scale)
                    found(fmt::format("\"{}\" lies on \"{}\"", texts[j].text, texts[i].text));
        }
    });
    EXPECT_THAT(problems_, IsEmpty()) << joined(problems_, "\n");
}

/// Numbers that may stand in the window while they are asked for, and why nobody reads the answer off them.
struct MayStand {
    const char* lesson;
    const char* step;
    const char* why;
};
const std::vector<MayStand> may_stand = {};

/// "1 024" and "1,024" are 1024.
std::string without_spaces_in_numbers(std::string text) {
    const auto is_digit = [&](std::size_t at) {
        return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at]));
    };
    for (const std::string_view space : {" ", ",", "\u2009", "\u202F", "\u00A0"})
        for (std::size_t at = text.find(space); at != std::string::npos; at = text.find(space, at + 1))
            if (at > 0 && is_digit(at - 1) && is_digit(at + space.size()) &&
                is_digit(at + space.size() + 2) && !is_digit(at + space.size() + 3))
                text.erase(at, space.size());
    return text;
}

bool says_number(const std::string& text, const std::string& number) {
    const std::string whole = without_spaces_in_numbers(text);
    const auto part_of_number = [](char c) {
        return std::isdigit(static_cast<unsigned char>(c)) || c == '.';
    };
    for (std::size_t at = whole.find(number); at != std::string::npos; at = whole.find(number, at + 1)) {
        const std::size_t end = at + number.size();
        const bool before = at > 0 && part_of_number(whole[at - 1]);
        const bool after = end < whole.size() && (std::isdigit(static_cast<unsigned char>(whole[end])) ||
                                                  (whole[end] == '.' && end + 1 < whole.size() &&
                                                   std::isdigit(static_cast<unsigned char>(whole[end + 1]))));
        if (!before && !after) return true;
    }
    return false;
}

TEST(SaysNumber, FindsItHoweverItIsWritten) {
    EXPECT_TRUE(says_number("There are 1\u2009024 of them.", "1024"));
    EXPECT_TRUE(says_number("There are 79.", "79"));
    EXPECT_TRUE(says_number("(79)", "79"));
    EXPECT_FALSE(says_number("179", "79"));
    EXPECT_FALSE(says_number("79.5", "79"));
    EXPECT_FALSE(says_number("10 000", "0"));
}

TEST_F(Steps, NoTextAnswersAQuestionBeforeItIsAnswered) {
    int guesses = 0;
    at_each_step({1920, 2000}, 1, [&](const Place& place) {
        const PredictBlock* asked = question();
        if (!asked || !asked->guess) return;
        // What a right run would say: exact numbers, which no device decides.
        Experiment experiment = experiment_of_step(*place.lesson, session_.story(), place.step);
        if (!asked->runs.empty()) apply(*place.lesson, asked->runs.front(), experiment);
        const Prepared prepared = prepare(experiment, lab_.device);
        const Report right = computed_report(prepared);
        const std::vector<const Report*> runs(asked->run_count(), &right);
        const auto outcome = decide(*asked, runs, Answer{.guess = 0});
        if (!outcome || asked->guess->within > 0) return;
        ++guesses;
        const std::string answer = fmt::format("{}", outcome->values.front().value);
        for (const DrawnText& text : drawn_texts())
            if (says_number(text.text, answer) && std::ranges::none_of(may_stand, [&](const MayStand& one) {
                    return place.lesson->id == one.lesson && story_step().title == one.step;
                }))
                found(fmt::format("the answer, {}, stands in \"{}\"", answer, text.text));
    });
    EXPECT_GT(guesses, 0);
    EXPECT_THAT(problems_, IsEmpty()) << joined(problems_, "\n");
}

TEST_F(Steps, WhatWasMeasuredIsHeldBackWhileAQuestionIsOpen) {
    at_each_step({1600, 1000}, 1, [&](const Place& place) {
        if (!question()) return;
        // A run of before, whose times would give the answer away.
        session_.skip_question(*session_.open_question());
        session_.run();
        answer({}, {123'456, 123'457, 123'458});
        session_.go_to_step(place.step == 0 ? 1 : 0);
        session_.go_to_step(place.step);
        for (const std::size_t block : questions_of(story_step()))
            session_.ask_again(block);
        for (std::size_t tab = 0; tab < 5; ++tab) {
            workspace_.tab = tab;
            workspace_.refresh_plots();
            frames();
            for (const DrawnText& text : drawn_texts())
                if (says_number(text.text, "123")) found(fmt::format("tab {} shows \"{}\"", tab, text.text));
        }
        workspace_.tab = 0;
    });
    EXPECT_THAT(problems_, IsEmpty()) << joined(problems_, "\n");
}

}  // namespace
}  // namespace gridstride::ui

// The page of the course, a lesson's last page, and the ways between them.
#include "ui/learn_frames.h"

#include "test_includes.h"

namespace gridstride::ui::course_test {

class CourseTest : public LearnFrames {
 protected:
    void show_course() {
        workspace_.page = Page::course;
        look_like({1366, 768});
    }
    void first_start() {
        session_.forget_answers(nullptr);
        show_course();
    }
    void to_last_step() {
        while (session_.step() + 1 < session_.story().steps.size())
            step_forward(workspace_);
    }
};

TEST_F(CourseTest, AFirstStartShowsEveryLessonAndNoWayBack) {
    first_start();
    look_like({1366, 1000});  // so high that no chapter has to be scrolled to
    EXPECT_EQ(find("course.continue"), nullptr);
    EXPECT_THAT(said(), Not(HasSubstr("Continue where you left off")));
    for (const CourseEntry& entry : course()) {
        EXPECT_NE(find("course.card." + entry.lesson->id), nullptr) << entry.lesson->id;
        EXPECT_THAT(said(), HasSubstr(entry.head.chapter));
    }
    EXPECT_EQ(find("course.forget"), nullptr);
}

TEST_F(CourseTest, ACardOpensItsLessonWhereItWasLeft) {
    session_.open(*find_lesson("histogram"), 0);
    session_.go_to_step(2);
    session_.open(*find_lesson("reduction"), 0);
    show_course();
    click("course.card.histogram");
    EXPECT_EQ(session_.lesson().id, "histogram");
    EXPECT_EQ(session_.step(), 2U);
    EXPECT_EQ(workspace_.page, Page::lesson);
}

TEST_F(CourseTest, EnterGoesOnWhereThePersonLeft) {
    session_.go_to_step(3);
    show_course();
    EXPECT_NE(find("course.continue"), nullptr);
    EXPECT_THAT(said(), HasSubstr("4 of "));
    press(Key::enter);
    EXPECT_EQ(workspace_.page, Page::lesson);
    EXPECT_EQ(session_.step(), 3U);
}

TEST_F(CourseTest, ArrowsAndEnterChooseALesson) {
    first_start();
    press(Key::down);
    press(Key::down);
    press(Key::right);
    press(Key::left);
    press(Key::right);
    EXPECT_EQ(session_.step(), 0U) << "no page of the story is turned behind it";
    press(Key::enter);
    EXPECT_EQ(workspace_.page, Page::lesson);
    const auto second_chapter = std::ranges::find_if(course(), [](const CourseEntry& entry) {
        return entry.head.chapter != course().front().head.chapter;
    });
    EXPECT_EQ(&session_.lesson(), std::next(second_chapter)->lesson) << "its second lesson";
}

TEST_F(CourseTest, ACardIsTickedOnceAllIsSeenAndAnswered) {
    tell("## One\n\nText.\n\n## Two\n\nText.\n");
    show_course();
    EXPECT_THAT(find("course.card.reduction")->value, Not(HasSubstr("✓")));
    open(*find_lesson("reduction"));
    for (std::size_t step = 0; step < session_.story().steps.size(); ++step) {
        session_.go_to_step(step);
        for (const std::size_t block : question_blocks(session_.story().steps[step]))
            session_.skip_question(block);
    }
    show_course();
    EXPECT_THAT(find("course.card.reduction")->value, HasSubstr("✓"));
}

TEST_F(CourseTest, ProgressIsForgottenAfterAQuestion) {
    session_.go_to_step(1);
    show_course();
    ASSERT_GT(session_.answers().count_seen_steps(*find_lesson("reduction")), 0U);
    click("course.forget.reduction");
    ASSERT_NE(find("forget.no"), nullptr);
    click("forget.no");
    EXPECT_GT(session_.answers().count_seen_steps(*find_lesson("reduction")), 0U);
    click("course.forget");
    click("forget.yes");
    EXPECT_EQ(session_.answers().count_seen_steps(*find_lesson("reduction")), 0U);
    frames();
    EXPECT_EQ(find("course.continue"), nullptr);
}

TEST_F(CourseTest, BehindTheLastStepStandOwnPredictionsAndTheNextLesson) {
    tell(
        "## One\n\n```predict\nquestion: How many?\nvalue: partial\nguess: sums | within 0\nafter: There are "
        "{value}.\n```\n\n## Two\n\n```predict\nquestion: And now?\nvalue: partial\nguess: sums | within "
        "0\nafter: There are {value}.\n```\n");
    look_like({1366, 768});
    set("story.guess.0", "8");
    click("story.decide");
    answer({{"partial", 8}});
    click("story.next");
    EXPECT_EQ(session_.step(), 1U);
    click("story.next");
    EXPECT_TRUE(on_last_page(workspace_));
    frames();
    EXPECT_THAT(find("last.counts")->value, HasSubstr("2 questions: 1 as predicted, 1 skipped."));
    EXPECT_THAT(find("last.question.unnamed_1_0")->value, HasSubstr("As you predicted: 8 sums"));
    EXPECT_EQ(find("story.next"), nullptr);
    // Back, and there again by the keys' way.
    click("story.back");
    EXPECT_FALSE(on_last_page(workspace_));
    EXPECT_EQ(session_.step(), 1U);
    step_forward(workspace_);
    EXPECT_TRUE(on_last_page(workspace_));
    frames();
    click("last.question.unnamed_1_0");
    EXPECT_EQ(session_.step(), 0U);
    EXPECT_FALSE(on_last_page(workspace_));
}

TEST_F(CourseTest, TheLastPageLeadsToTheNextLessonAndIsComeBackTo) {
    look_like({1366, 768});
    to_last_step();
    step_forward(workspace_);
    frames();
    ASSERT_TRUE(on_last_page(workspace_));
    click("last.next");
    const auto here = std::ranges::find(course(), find_lesson("reduction"), &CourseEntry::lesson);
    EXPECT_EQ(&session_.lesson(), (here + 1)->lesson);
    EXPECT_FALSE(on_last_page(workspace_));
    open_lesson(workspace_, *find_lesson("reduction"));
    EXPECT_TRUE(on_last_page(workspace_));
    // It is kept with the progress.
    Session later(lab_, "en");
    later.restore_answers(session_.answers().story_progress());
    EXPECT_TRUE(later.answers().last_position(*find_lesson("reduction")).at_end);
    Workspace window(later);
    later.open(*find_lesson("histogram"), 0);
    open_lesson(window, *find_lesson("reduction"));
    EXPECT_TRUE(on_last_page(window));
    step_back(window);
    EXPECT_FALSE(later.answers().last_position(*find_lesson("reduction")).at_end);
}

}  // namespace gridstride::ui::course_test

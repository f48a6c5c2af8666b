// The course page, a lesson's last page, and the navigation between them.
#include "ui/learn_frames.h"

#include "test_includes.h"

namespace gridstride::ui::course_test {

class CourseTest : public LearnFrames {
 protected:
    void show_course() {
        workspace_.page = Page::course;
        resize_window({1366, 768});
    }
    void start_without_progress() {
        session_.reset_progress(nullptr);
        show_course();
    }
    void go_to_last_step() {
        while (session_.step() + 1 < session_.story().steps.size())
            step_forward(workspace_);
    }
};

TEST_F(CourseTest, FirstStartShowsEveryLessonWithoutContinue) {
    start_without_progress();
    resize_window({1366, 2000});  // high enough to show every chapter without scrolling
    EXPECT_EQ(find("course.continue"), nullptr);
    EXPECT_THAT(window_text(), Not(HasSubstr("Continue where you left off")));
    for (const CourseEntry& entry : course()) {
        EXPECT_NE(find("course.card." + entry.id), nullptr) << entry.id;
        EXPECT_THAT(window_text(), HasSubstr(entry.head.chapter));
    }
    EXPECT_EQ(find("course.forget"), nullptr);
}

TEST_F(CourseTest, CardOpensItsLessonAtTheLastStep) {
    session_.open(*find_course_entry("histogram"), 0);
    session_.go_to_step(2);
    session_.open(*find_course_entry("reduction"), 0);
    show_course();
    click("course.card.histogram");
    EXPECT_EQ(session_.lesson().id, "histogram");
    EXPECT_EQ(session_.step(), 2U);
    EXPECT_EQ(workspace_.page, Page::lesson);
}

TEST_F(CourseTest, EnterContinuesAtTheLastStep) {
    session_.go_to_step(3);
    show_course();
    EXPECT_NE(find("course.continue"), nullptr);
    EXPECT_THAT(window_text(), HasSubstr("4 of "));
    press(Key::enter);
    EXPECT_EQ(workspace_.page, Page::lesson);
    EXPECT_EQ(session_.step(), 3U);
}

TEST_F(CourseTest, ArrowsAndEnterChooseALesson) {
    start_without_progress();
    press(Key::down);
    press(Key::down);
    press(Key::right);
    press(Key::left);
    press(Key::right);
    EXPECT_EQ(session_.step(), 0U) << "the story behind the course page stays at its step";
    press(Key::enter);
    EXPECT_EQ(workspace_.page, Page::lesson);
    const auto second_chapter = std::ranges::find_if(course(), [](const CourseEntry& entry) {
        return entry.head.chapter != course().front().head.chapter;
    });
    EXPECT_EQ(&session_.lesson(), std::next(second_chapter)->lesson) << "the second lesson of the chapter";
}

TEST_F(CourseTest, CardIsTickedOnceAllStepsAreSeenAndAnswered) {
    set_story("## One\n\nText.\n\n## Two\n\nText.\n");
    show_course();
    EXPECT_THAT(find("course.card.reduction")->value, Not(HasSubstr("✓")));
    open(*find_course_entry("reduction"));
    for (std::size_t step = 0; step < session_.story().steps.size(); ++step) {
        session_.go_to_step(step);
        for (const std::size_t block : question_blocks(session_.story().steps[step]))
            session_.skip_question(block);
    }
    show_course();
    EXPECT_THAT(find("course.card.reduction")->value, HasSubstr("✓"));
}

TEST_F(CourseTest, ForgettingProgressNeedsConfirmation) {
    session_.go_to_step(1);
    show_course();
    ASSERT_GT(session_.progress().count_seen_steps(*find_course_entry("reduction")), 0U);
    click("course.forget.reduction");
    ASSERT_NE(find("forget.no"), nullptr);
    click("forget.no");
    EXPECT_GT(session_.progress().count_seen_steps(*find_course_entry("reduction")), 0U);
    click("course.forget");
    click("forget.yes");
    EXPECT_EQ(session_.progress().count_seen_steps(*find_course_entry("reduction")), 0U);
    frames();
    EXPECT_EQ(find("course.continue"), nullptr);
}

TEST_F(CourseTest, LastPageListsThePredictions) {
    set_story(
        "## One\n\n```predict\nquestion: How many?\nvalue: partial\nguess: sums | within 0\nafter: There are "
        "{value}.\n```\n\n## Two\n\n```predict\nquestion: And now?\nvalue: partial\nguess: sums | within "
        "0\nafter: There are {value}.\n```\n");
    resize_window({1366, 768});
    set("story.guess.0", "8");
    click("story.decide");
    answer({{"partial", 8}});
    click("story.next");
    EXPECT_EQ(session_.step(), 1U);
    click("story.next");
    EXPECT_TRUE(is_on_last_page(workspace_));
    frames();
    EXPECT_THAT(find("last.counts")->value, HasSubstr("2 questions: 1 as predicted, 1 skipped."));
    EXPECT_THAT(find("last.question.unnamed_1_0")->value, HasSubstr("As you predicted: 8 sums"));
    EXPECT_EQ(find("story.next"), nullptr);
    session_.prediction(0).outcome = Outcome{.result = Outcome::Result::right,
                                             .values = {{9, 9, 9}},
                                             .judged_by = GpuValues{"NVIDIA H200", {{8, 8, 8}}}};
    session_.prediction(0).is_skipped = false;
    session_.prediction(0).guess_text = "8";
    frames();
    EXPECT_THAT(find("last.counts")->value, HasSubstr("2 questions: 1 as predicted, 1 right on a GPU."));
    EXPECT_THAT(find("last.question.unnamed_2_0")->value, HasSubstr("Right on a GPU: 8 sums"));
    session_.prediction(0).outcome->result = Outcome::Result::wrong;
    frames();
    EXPECT_THAT(find("last.question.unnamed_2_0")->value, HasSubstr("Recorded on a GPU: 8 sums"));
    // Go back, then forward again as the keys do.
    click("story.back");
    EXPECT_FALSE(is_on_last_page(workspace_));
    EXPECT_EQ(session_.step(), 1U);
    step_forward(workspace_);
    EXPECT_TRUE(is_on_last_page(workspace_));
    frames();
    click("last.question.unnamed_1_0");
    EXPECT_EQ(session_.step(), 0U);
    EXPECT_FALSE(is_on_last_page(workspace_));
}

TEST_F(CourseTest, LastPageOpensTheNextLessonAndIsRestored) {
    resize_window({1366, 768});
    go_to_last_step();
    step_forward(workspace_);
    frames();
    ASSERT_TRUE(is_on_last_page(workspace_));
    click("last.next");
    const auto here = std::ranges::find(course(), "reduction", &CourseEntry::id);
    EXPECT_EQ(session_.entry().id, (here + 1)->id);
    EXPECT_FALSE(is_on_last_page(workspace_));
    open_story(workspace_, *find_course_entry("reduction"));
    EXPECT_TRUE(is_on_last_page(workspace_));
    // The saved progress remembers the last page.
    Session later(lab_, "en");
    later.restore_progress(session_.progress().story_progress());
    EXPECT_TRUE(later.progress().last_position(*find_course_entry("reduction")).is_at_end);
    Workspace window(later);
    later.open(*find_course_entry("histogram"), 0);
    open_story(window, *find_course_entry("reduction"));
    EXPECT_TRUE(is_on_last_page(window));
    step_back(window);
    EXPECT_FALSE(later.progress().last_position(*find_course_entry("reduction")).is_at_end);
}

}  // namespace gridstride::ui::course_test

// The hint that a step's text goes on below the fold.
#include "ui/learn/scroll_hint.h"
#include "test_includes.h"
#include "ui/ui_frame.h"

namespace gridstride::ui::story_more_test {

class StoryMoreTest : public DrawnTest {
 protected:
    /// A text of so many pixels before and after a button, in a panel of 300.
    std::function<void()> text(const std::string& id, float before, float after) {
        return [=, this] {
            ScrollHint more(id, {{0, 0}, {380, 300}});
            more.begin_text();
            gap(before);
            if (button("answer", "Answer")) ++answers_;
            gap(after);
            more.end_text();
            more.draw_hint();
        };
    }
    void draw(const std::function<void()>& body) {
        body_ = body;
        frames();
    }
    static bool hints() { return find("story.more") != nullptr; }

    int answers_ = 0;
};

TEST_F(StoryMoreTest, SaysNothingOfATextThatFits) {
    draw(text("fits", 20, 20));
    EXPECT_FALSE(hints());
}

TEST_F(StoryMoreTest, GoesOnPageByPageAndIsGoneAtTheEnd) {
    draw(text("pages", 600, 400));
    int clicks = 0;
    for (; hints() && clicks < 20; ++clicks) {
        click("story.more");
        frames();
    }
    EXPECT_GE(clicks, 3);
    EXPECT_LE(clicks, 6);
}

TEST_F(StoryMoreTest, IsNoObstacleToAClickOnTheText) {
    // The answer stands in the fade, right at the fold.
    draw(text("obstacle", 230, 400));
    ASSERT_TRUE(hints());
    click("answer");
    EXPECT_EQ(answers_, 1);
}

}  // namespace gridstride::ui::story_more_test

// The hint that a step's text goes on below the fold.
#include <gtest/gtest.h>

#include "ui/learn/story_more.h"
#include "ui/ui_frame.h"

namespace gridstride::ui {
namespace {

class StoryMoreTest : public testing::Test {
 protected:
    /// A text of so many pixels before and after a button, in a panel of 300.
    std::function<void()> text(const std::string& id, float before, float after) {
        return [=, this] {
            StoryMore more(id, {{0, 0}, {380, 300}});
            more.begin_text();
            gap(before);
            if (button("answer", "Answer")) ++answers_;
            gap(after);
            more.end_text();
            more.draw_hint();
        };
    }
    void draw(const std::function<void()>& body) {
        for (int i = 0; i < 4; ++i)
            ui_.frame(body);
    }
    static std::string hint() {
        const WidgetRect* found = UiFrames::find("story.more");
        return found ? found->value : "none";
    }

    UiFrames ui_;
    int answers_ = 0;
};

TEST_F(StoryMoreTest, SaysNothingOfATextThatFits) {
    draw(text("fits", 20, 20));
    EXPECT_EQ(hint(), "none");
}

TEST_F(StoryMoreTest, GoesOnPageByPageAndIsGoneAtTheEnd) {
    const auto body = text("pages", 600, 400);
    draw(body);
    int clicks = 0;
    for (; hint() != "none" && clicks < 20; ++clicks) {
        EXPECT_EQ(hint(), "More below ↓");
        ui_.click("story.more", body);
        draw(body);
    }
    EXPECT_GE(clicks, 3);
    EXPECT_LE(clicks, 6);
}

TEST_F(StoryMoreTest, IsNoObstacleToAClickOnTheText) {
    // The answer stands in the fade, right at the fold.
    const auto body = text("obstacle", 230, 400);
    draw(body);
    ASSERT_NE(hint(), "none");
    ui_.click("answer", body);
    EXPECT_EQ(answers_, 1);
}

}  // namespace
}  // namespace gridstride::ui

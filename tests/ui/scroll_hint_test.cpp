// The hint that a step's text continues below the visible part.
#include "ui/learn/scroll_hint.h"
#include "test_includes.h"
#include "ui/ui_frame.h"

namespace gridstride::ui::story_more_test {

class ScrollHintTest : public DrawnTest {
 protected:
    /// Draws a text with this many pixels before and after a button, in a panel 300 pixels high.
    std::function<void()> text(const std::string& id, float before, float after) {
        return [=, this] {
            ScrollHint hint(id, {{0, 0}, {380, 300}});
            hint.begin_text();
            gap(before);
            if (button("answer", "Answer")) ++answers_;
            gap(after);
            hint.end_text();
            hint.draw_hint();
        };
    }
    void draw(const std::function<void()>& body) {
        body_ = body;
        frames();
    }
    static bool has_hint() { return find("story.more") != nullptr; }

    int answers_ = 0;
};

TEST_F(ScrollHintTest, IsHiddenForATextThatFits) {
    draw(text("fits", 20, 20));
    EXPECT_FALSE(has_hint());
}

TEST_F(ScrollHintTest, ScrollsByPagesAndDisappearsAtTheEnd) {
    draw(text("pages", 600, 400));
    int clicks = 0;
    for (; has_hint() && clicks < 20; ++clicks) {
        click("story.more");
        frames();
    }
    EXPECT_GE(clicks, 3);
    EXPECT_LE(clicks, 6);
}

TEST_F(ScrollHintTest, DoesNotBlockClicksOnTheText) {
    // The button is in the faded part, at the lower edge of the panel.
    draw(text("obstacle", 230, 400));
    ASSERT_TRUE(has_hint());
    click("answer");
    EXPECT_EQ(answers_, 1);
}

}  // namespace gridstride::ui::story_more_test

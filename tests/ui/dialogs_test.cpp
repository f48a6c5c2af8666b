// The keyboard in the dialogs, and whether what they say fits them.
#include <gtest/gtest.h>

#include "session/fake_lab.h"
#include "session/session.h"
#include "ui/desktop/actions.h"
#include "ui/panels/panels.h"
#include "ui/ui_frame.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {
namespace {

/// A dialog over a window that has controls of its own.
class DialogTest : public testing::Test {
 protected:
    void frame() { frames_.frame(body_); }
    /// Tab, and the frames that a field takes to get the keyboard.
    void tab(Modifiers modifiers = {}) {
        frame();
        frames_.press(Key::tab, body_, modifiers);
        frame();
        frame();
    }
    void type(const std::string& text) {
        frames_.frame(body_, [&] { feed_text(text); });
        frame();
    }

    UiFrames frames_;
    int pressed_behind_ = 0;
    std::function<void()> draw_dialog_;
    std::function<void()> body_ = [this] {
        if (button("behind", "Behind")) ++pressed_behind_;
        if (draw_dialog_) draw_dialog_();
    };
};

TEST_F(DialogTest, TabGoesRoundInTheComparison) {
    CompareDialog dialog;
    bool stays = true;
    tab();  // the ring is on the button behind
    draw_dialog_ = [&] { stays = draw_compare_dialog(dialog, screen) != CompareWish::close && stays; };
    for (int i = 0; i < 4; ++i)
        frame();
    type("one");
    tab();  // Browse
    tab();
    type("two");
    EXPECT_EQ(dialog.path_a, "one");
    EXPECT_EQ(dialog.path_b, "two");
    tab();  // Browse
    tab();  // Time
    tab();  // Compare
    tab();  // Close
    type("nowhere");
    tab();
    type("three");
    EXPECT_EQ(dialog.path_a, "three") << "round to the first, whose text is selected";
    EXPECT_EQ(dialog.path_b, "two");
    tab({.shift = true});
    frames_.press(Key::enter, body_);
    EXPECT_FALSE(stays) << "back from the first is the last, which closes";
    EXPECT_EQ(pressed_behind_, 0);
}

TEST_F(DialogTest, KeysDoNotReachWhatLiesUnderIt) {
    tab();
    frames_.press(Key::enter, body_);
    ASSERT_EQ(pressed_behind_, 1);
    std::string inside;
    draw_dialog_ = [&] {
        begin_dialog("test.dialog", "Test", screen.min, screen.max, {300, 200});
        if (button("test.yes", "Yes")) inside += "y";
        if (button("test.no", "No")) inside += "n";
        end_dialog();
    };
    frame();
    frame();
    frames_.press(Key::enter, body_);
    EXPECT_EQ(pressed_behind_, 1);
    for (int i = 0; i < 3; ++i) {
        tab();
        frames_.press(Key::space, body_);
    }
    EXPECT_EQ(inside, "yny");
    draw_dialog_ = {};
    frame();
    frame();
    tab();
    frames_.press(Key::enter, body_);
    EXPECT_EQ(pressed_behind_, 2) << "closed, it gives the keyboard back";
}

TEST_F(DialogTest, EveryKeyFitsTheirDialog) {
    FakeLab lab;
    Session session(lab, "en");
    session.open(*find_lesson("reduction"), 0);
    Workspace workspace(session);
    draw_dialog_ = [&] { draw_keys(workspace, screen); };
    frame();
    frame();
    const WidgetRect* panel = UiFrames::find("keys.panel");
    const WidgetRect* plot = UiFrames::find("keys.On a plot");
    const WidgetRect* close = UiFrames::find("keys.close");
    ASSERT_TRUE(panel && plot && close);
    EXPECT_LE(plot->max.x, panel->max.x - 24);
    EXPECT_EQ(plot->max.x - plot->min.x, text_size(Type::body, plot->value).x) << "whole, in one line";
    EXPECT_LE(close->max.y, panel->max.y - 16);
}

}  // namespace
}  // namespace gridstride::ui

// Keyboard navigation in the dialogs, and whether their text fits.
#include "jobs/fake_lab.h"
#include "session/session.h"
#include "test_includes.h"
#include "ui/desktop/actions.h"
#include "ui/panels/panels.h"
#include "ui/ui_frame.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui::dialogs_test {

/// A dialog over a window that has controls of its own.
class DialogTest : public DrawnTest {
 protected:
    DialogTest() {
        body_ = [this] {
            if (button("behind", "Behind")) ++pressed_behind_;
            if (draw_dialog_) draw_dialog_();
        };
    }
    /// Presses Tab and draws the frames that a field needs to get the keyboard.
    void tab(Modifiers modifiers = {}) {
        frame();
        press(Key::tab, modifiers);
        frames(2);
    }
    void type(const std::string& text) {
        DrawnTest::type(text);
        frame();
    }

    int pressed_behind_ = 0;
    std::function<void()> draw_dialog_;
};

TEST_F(DialogTest, TabCyclesThroughTheCompareDialog) {
    CompareDialog dialog;
    bool stays_open = true;
    tab();  // the focus ring is on the button behind
    draw_dialog_ = [&] {
        stays_open = draw_compare_dialog(dialog, screen) != CompareAction::close && stays_open;
    };
    frames();
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
    EXPECT_EQ(dialog.path_a, "three") << "back at the first field, whose text is selected";
    EXPECT_EQ(dialog.path_b, "two");
    tab({.shift = true});
    press(Key::enter);
    EXPECT_FALSE(stays_open) << "Shift+Tab moves from the first field to Close";
    EXPECT_EQ(pressed_behind_, 0);
}

TEST_F(DialogTest, KeysDoNotReachTheWindowBehind) {
    tab();
    press(Key::enter);
    ASSERT_EQ(pressed_behind_, 1);
    std::string pressed_buttons;
    draw_dialog_ = [&] {
        begin_dialog("test.dialog", "Test", screen.min, screen.max, {300, 200});
        if (button("test.yes", "Yes")) pressed_buttons += "y";
        if (button("test.no", "No")) pressed_buttons += "n";
        end_dialog();
    };
    frames(2);
    press(Key::enter);
    EXPECT_EQ(pressed_behind_, 1);
    for (int i = 0; i < 3; ++i) {
        tab();
        press(Key::space);
    }
    EXPECT_EQ(pressed_buttons, "yny");
    draw_dialog_ = {};
    frames(2);
    tab();
    press(Key::enter);
    EXPECT_EQ(pressed_behind_, 2) << "closing the dialog returns the keyboard";
}

TEST_F(DialogTest, KeysDialogFitsItsText) {
    FakeLab lab;
    Session session(lab, "en");
    session.open(*find_course_entry("reduction"), 0);
    Workspace workspace(session);
    draw_dialog_ = [&] { draw_keys(workspace, screen); };
    frames(2);
    const Rect panel = widget_rect("keys.panel"), plot = widget_rect("keys.On a plot");
    EXPECT_LE(plot.max.x, panel.max.x - 24);
    EXPECT_EQ(plot.width(), text_size(TextStyle::body, widget_value("keys.On a plot")).x)
        << "in one line, not cut off";
    EXPECT_LE(widget_rect("keys.close").max.y, panel.max.y - 16);
}

}  // namespace gridstride::ui::dialogs_test

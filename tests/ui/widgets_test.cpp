#include "ui/widgets/widgets.h"

#include <nlohmann/json.hpp>

#include "test_includes.h"
#include "ui/ui_frame.h"

namespace gridstride::ui::widgets_test {

using Button = DrawnTest;
using Tabs = DrawnTest;
using Splitter = DrawnTest;
using Map = DrawnTest;
using Text = DrawnTest;
using Redraw = DrawnTest;

TEST_F(Button, IsPressedByMouse) {
    int presses = 0;
    body_ = [&] {
        if (button("a.run", "Run")) ++presses;
        gap(20);
        if (button("a.off", "Off", {.is_enabled = false})) presses += 100;
    };
    click("a.run");
    EXPECT_EQ(presses, 1);
    click("a.off");
    EXPECT_EQ(presses, 1);
    click_at({390, 590});
    EXPECT_EQ(presses, 1);
}

TEST_F(Button, IsReachedByTabAndPressedByKeys) {
    std::string pressed;
    body_ = [&] {
        if (button("a.one", "One")) pressed += "1";
        if (button("a.off", "Off", {.is_enabled = false})) pressed += "x";
        if (chip("a.two", "Two")) pressed += "2";
    };
    frame();
    press(Key::enter);
    EXPECT_EQ(pressed, "") << "nothing has the focus yet";
    EXPECT_FALSE(is_key_used(Key::enter));
    press(Key::tab);
    press(Key::enter);
    EXPECT_EQ(pressed, "1");
    EXPECT_TRUE(is_key_used(Key::enter));
    EXPECT_FALSE(is_key_used(Key::right)) << "a button does not use the arrow keys";
    press(Key::tab);
    press(Key::space);
    EXPECT_EQ(pressed, "12") << "Tab skips a disabled button";
    press(Key::tab, {.shift = true});
    press(Key::space);
    EXPECT_EQ(pressed, "121");
}

/// A sequence of steps that the user composes.
class SequenceOfSteps : public DrawnTest {
 protected:
    std::vector<Option> options = {{"up", "to the device"}, {"run", "a launch"}, {"down", "to the host"}};
    std::vector<std::uint32_t> steps = {0, 1, 2};
    int changes = 0;
    SequenceOfSteps() {
        body_ = [this] {
            if (sequence("s.steps", options, &steps)) ++changes;
        };
    }

    static glm::vec2 middle(const std::string& id) { return widget_rect(id).centre(); }
};

TEST_F(SequenceOfSteps, AddsAndRemovesSteps) {
    click("s.steps.add.up");
    EXPECT_THAT(steps, ElementsAre(0, 1, 2, 0));
    click("s.steps.up.1.remove");
    EXPECT_THAT(steps, ElementsAre(1, 2, 0));
    EXPECT_EQ(changes, 2);
    for (const char* const id : {"s.steps.run.1.remove", "s.steps.down.1.remove", "s.steps.up.1.remove"})
        click(id);
    EXPECT_THAT(steps, IsEmpty());
    click("s.steps.add.run");
    EXPECT_THAT(steps, ElementsAre(1)) << "an empty row can be added to";
}

TEST_F(SequenceOfSteps, IsReorderedByDragging) {
    frame();
    move_to(middle("s.steps.down.1") - glm::vec2(12, 0));
    ui_.mouse_down = true;
    frame();
    ui_.mouse = middle("s.steps.up.1") - glm::vec2(14, 0);
    frames(5);
    EXPECT_THAT(steps, ElementsAre(2, 0, 1));
    EXPECT_EQ(changes, 1) << "the step does not move while the mouse rests";
    ui_.mouse_down = false;
    frame();
    EXPECT_THAT(steps, ElementsAre(2, 0, 1));
}

TEST_F(SequenceOfSteps, IsReorderedByKeys) {
    frame();
    press(Key::tab);
    press(Key::left, {.ctrl = true});
    EXPECT_THAT(steps, ElementsAre(0, 1, 2)) << "the first step cannot move left";
    press(Key::right, {.ctrl = true});
    EXPECT_THAT(steps, ElementsAre(1, 0, 2));
    press(Key::right, {.ctrl = true});
    EXPECT_THAT(steps, ElementsAre(1, 2, 0)) << "the focus moves with the step";
    press(Key::left);
    press(Key::del);
    EXPECT_THAT(steps, ElementsAre(1, 0)) << "the arrow alone moves the focus";
    EXPECT_EQ(changes, 3);
}

TEST_F(SequenceOfSteps, UsesAsManyRowsAsItNeeds) {
    steps.assign(12, 2);
    frame();
    float bottom = 0;
    for (const WidgetRect& widget : widget_map()) {
        EXPECT_LE(widget.max.x, 400) << widget.id << " is cut off";
        bottom = std::max(bottom, widget.max.y);
    }
    EXPECT_GT(middle("s.steps.down.12").y, middle("s.steps.down.1").y);
    EXPECT_NEAR(sequence_height(options, steps, ui_.theme().px(384)), bottom - find("s.steps.down.1")->min.y,
                1);
}

/// A window with one slider.
class Slider : public DrawnTest {
 protected:
    float position = 0.5F;
    SliderResult last_entry;  ///< the last text that was entered
    int moves = 0;
    Slider() {
        body_ = [this] {
            const SliderResult result = slider("s.size", "Size", "1\u2009024", "auto", &position, 10);
            if (result.has_moved) ++moves;
            if (result.was_text_entered) last_entry = result;
        };
    }

    /// Clicks on the value and waits until it can be typed over.
    void start_typing() {
        click("s.size.value");
        frames(4);
    }
};

TEST_F(Slider, FollowsTheMouse) {
    frame();
    const WidgetRect rect = *find("s.size");
    EXPECT_EQ(rect.kind, "slider");
    EXPECT_EQ(rect.value, "1\u2009024");
    const float y = rect.max.y - 10;
    ui_.mouse = {rect.min.x + 8, y};
    frame();
    ui_.mouse_down = true;
    frame();
    EXPECT_NEAR(position, 0, 0.01);
    ui_.mouse.x = (rect.min.x + rect.max.x) / 2;
    frame();
    EXPECT_NEAR(position, 0.5, 0.01);
    // While held, the slider follows the mouse outside its bounds.
    ui_.mouse = {rect.max.x + 100, 500};
    frames(3);
    EXPECT_FLOAT_EQ(position, 1);
    ui_.mouse_down = false;
    frame();
    ui_.mouse.x = rect.min.x;
    frame();
    EXPECT_FLOAT_EQ(position, 1);
    EXPECT_GE(moves, 3);
}

TEST_F(Slider, StepsByKeys) {
    frame();
    press(Key::right);
    EXPECT_FLOAT_EQ(position, 0.5F) << "without the focus the slider ignores the arrow keys";
    EXPECT_FALSE(is_key_used(Key::right));
    press(Key::tab);
    EXPECT_TRUE(is_key_used(Key::right));
    press(Key::right);
    EXPECT_NEAR(position, 0.6, 1e-5);
    press(Key::left);
    press(Key::left);
    EXPECT_NEAR(position, 0.4, 1e-5);
    press(Key::home);
    EXPECT_FLOAT_EQ(position, 0);
    press(Key::left);
    EXPECT_FLOAT_EQ(position, 0);
    press(Key::end);
    EXPECT_FLOAT_EQ(position, 1);
}

TEST_F(Slider, TakesATypedValue) {
    start_typing();
    ASSERT_TRUE(ImGui::GetIO().WantTextInput);
    EXPECT_TRUE(is_key_used(Key::escape));
    EXPECT_TRUE(is_key_used(Key::r));
    EXPECT_FALSE(is_key_used(Key::f5));
    frame([] { feed_text("256"); });
    press(Key::enter);
    EXPECT_TRUE(last_entry.was_text_entered);
    EXPECT_EQ(last_entry.text, "256");
    EXPECT_EQ(moves, 0);
}

TEST_F(Slider, KeepsCharactersThatAreTypedAtOnce) {
    click("s.size.value");
    for (const char* character : {"5", "1", "2"})
        frame([&] { feed_text(character); });
    press(Key::enter);
    EXPECT_EQ(last_entry.text, "512");
}

TEST_F(Slider, PastesOnlyTheFirstLine) {
    for (const auto& [clipboard, first_line] :
         {std::pair{"12\n345", "12"}, {"678\r\n", "678"}, {"90", "90"}}) {
        start_typing();
        ImGui::SetClipboardText(clipboard);
        press(Key::v, {.ctrl = true});
        press(Key::enter);
        EXPECT_EQ(last_entry.text, first_line);
        EXPECT_STREQ(ImGui::GetClipboardText(), clipboard) << "the clipboard is unchanged";
    }
}

TEST_F(Slider, EscapeKeepsTheValue) {
    start_typing();
    frame([] { feed_text("256"); });
    press(Key::escape);
    frame();
    EXPECT_FALSE(last_entry.was_text_entered);
    EXPECT_NE(find("s.size.value"), nullptr) << "the field is gone";
}

TEST_F(Slider, TakesARequestedValueAsIfTyped) {
    request_value("s.size", "2048");
    EXPECT_TRUE(has_requested_value("s.size"));
    frame();
    EXPECT_FALSE(has_requested_value("s.size"));
    EXPECT_EQ(last_entry.text, "2048");
}

/// A window with one choice.
class Choice : public DrawnTest {
 protected:
    const std::vector<Option> options{
        {"atomic_global", "One counter"}, {"tree_interleaved", ""}, {"tree_sequential", ""}};
    std::size_t index = 0;
    int changes = 0;
    Choice() {
        body_ = [this] {
            if (choice("c.variant", "Variant", options, &index)) ++changes;
        };
    }
};

TEST_F(Choice, OpensAndChoosesByMouse) {
    EXPECT_EQ(find("c.variant.tree_sequential"), nullptr);
    click("c.variant");
    frame();
    click("c.variant.tree_sequential");
    EXPECT_EQ(index, 2U);
    EXPECT_EQ(changes, 1);
    frames(2);
    EXPECT_EQ(find("c.variant.tree_sequential"), nullptr) << "the list is closed";
}

TEST_F(Choice, IsOperatedByKeys) {
    frame();
    press(Key::tab);
    press(Key::enter);
    EXPECT_TRUE(is_key_used(Key::escape));
    press(Key::down);
    press(Key::enter);
    EXPECT_EQ(index, 1U);
    frame();
    EXPECT_FALSE(is_key_used(Key::escape));
    press(Key::enter);
    press(Key::down);
    press(Key::escape);
    EXPECT_EQ(index, 1U) << "Escape changes nothing";
}

TEST_F(Choice, TakesALabelOrItsStart) {
    for (const auto& [value, expected_index] :
         {std::pair{"tree_s", 2U}, {"atomic_global", 0U}, {"nothing", 0U}}) {
        set("c.variant", value);
        EXPECT_EQ(index, expected_index) << value;
    }
    EXPECT_EQ(changes, 2);
}

TEST_F(Tabs, ChangeByMouse) {
    std::size_t index = 0;
    body_ = [&] { tabs("view", {{"result", "Result"}, {"timings", "Timings"}}, &index); };
    click("view.timings");
    EXPECT_EQ(index, 1U);
    frame();
    EXPECT_EQ(find("view.timings")->value, "selected");
}

TEST_F(Splitter, StaysWithinItsLimits) {
    float size = 200;
    body_ = [&] { splitter("split", true, {size, 0}, {size + 1, 300}, &size, 100, 300, 1); };
    move_to({200, 100});
    frame();
    ui_.mouse_down = true;
    frame();
    for (const auto& [x, expected] : {std::pair{250.0F, 250.0F}, {790.0F, 300.0F}, {5.0F, 100.0F}}) {
        move_to({x, 100});
        EXPECT_NEAR(size, expected, 1.5) << x;
    }
}

TEST_F(Map, ListsWidgetsAndTheirVisibility) {
    ui_.frame([] {
        begin_panel("p", {0, 0}, {200, 100}, IM_COL32_BLACK);
        button("p.top", "Top \"quoted\"");
        gap(500);
        button("p.below", "Below");
        end_panel();
    });
    ASSERT_NE(find("p.below"), nullptr);
    EXPECT_FALSE(find("p.below")->is_visible);
    const auto map = nlohmann::json::parse(widget_map_json());
    ASSERT_EQ(map.size(), 2U);
    EXPECT_EQ(map[0]["id"], "p");
    EXPECT_EQ(map[1]["kind"], "button");
    EXPECT_EQ(map[1]["value"], "Top \"quoted\"");
    EXPECT_EQ(map[1]["x"], 16);
    EXPECT_GT(map[1]["width"], 40);
}

TEST_F(Map, AScrollBarDoesNotNarrowAPanel) {
    float width = 0, height = 50;
    body_ = [&] {
        begin_panel("p", {0, 0}, {200, 100}, IM_COL32_BLACK);
        width = content_width();
        gap(height);
        end_panel();
    };
    frames(3);
    const float full_width = width;
    height = 500;
    frames(3);
    EXPECT_EQ(width, full_width);
    EXPECT_EQ(width, 200 - 2 * 16);
}

TEST_F(Map, RevealScrollsAWidgetIntoView) {
    body_ = [] {
        begin_panel("p", {0, 0}, {200, 100}, IM_COL32_BLACK);
        gap(500);
        button("p.below", "Below");
        end_panel();
    };
    frames(2);
    reveal_widget("p.below");
    frames(4);
    EXPECT_TRUE(find("p.below")->is_visible);
}

TEST_F(Text, WrapsAndShortens) {
    ui_.frame([] {
        const float line = theme().line_height(TextStyle::body);
        const ImVec2 start = ImGui::GetCursorScreenPos();
        text_wrapped(TextStyle::body, theme().palette().text, "one two three four five six seven", 100);
        EXPECT_GE(ImGui::GetCursorScreenPos().y - start.y, 2 * line);
        const ImVec2 after = ImGui::GetCursorScreenPos();
        text(TextStyle::body, theme().palette().text, "one\ntwo");
        EXPECT_FLOAT_EQ(ImGui::GetCursorScreenPos().y - after.y, 2 * line);
    });
    EXPECT_EQ(elide(TextStyle::body, "short", 200), "short");
    const std::string cut = elide(TextStyle::body, "une façade élaborée, très longue", 100);
    EXPECT_THAT(cut, testing::EndsWith("…"));
    EXPECT_LE(text_size(TextStyle::body, cut).x, 100);
}

TEST_F(Redraw, OnlyAMovingProgressLineAsksForFrames) {
    ui_.frame([] { progress_line(0.5F); });
    EXPECT_TRUE(std::isinf(widgets_redraw_delay()));
    ui_.frame([] { progress_line(-1); });
    EXPECT_LT(widgets_redraw_delay(), 0.1);
}

TEST_F(Redraw, AnimationLeavesASlowDriverFourFifthsOfTheTime) {
    const auto redraw_delay_after = [&](double frame_s) {
        set_frame_cost(frame_s);
        ui_.frame([] { progress_line(-1); });
        return widgets_redraw_delay();
    };
    EXPECT_DOUBLE_EQ(redraw_delay_after(0.002), 1.0 / 30);
    EXPECT_DOUBLE_EQ(redraw_delay_after(0.03), 0.12);
    EXPECT_DOUBLE_EQ(redraw_delay_after(3), 0.2) << "it still moves";
}

}  // namespace gridstride::ui::widgets_test

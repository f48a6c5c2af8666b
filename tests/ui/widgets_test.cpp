#include "ui/widgets/widgets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ui/ui_frame.h"

namespace gridstride::ui {
namespace {

TEST(Button, IsPressedByMouse) {
    UiFrames ui;
    int presses = 0;
    const auto body = [&] {
        if (button("a.run", "Run")) ++presses;
        gap(20);
        if (button("a.off", "Off", {.enabled = false})) presses += 100;
    };
    ui.click("a.run", body);
    EXPECT_EQ(presses, 1);
    ui.click("a.off", body);
    EXPECT_EQ(presses, 1);
    ui.click_at({390, 590}, body);
    EXPECT_EQ(presses, 1);
}

TEST(Button, IsReachedByTabAndPressedByKeys) {
    UiFrames ui;
    std::string pressed;
    const auto body = [&] {
        if (button("a.one", "One")) pressed += "1";
        if (button("a.off", "Off", {.enabled = false})) pressed += "x";
        if (chip("a.two", "Two")) pressed += "2";
    };
    ui.frame(body);
    ui.press(Key::enter, body);
    EXPECT_EQ(pressed, "") << "nothing has the focus yet";
    EXPECT_FALSE(key_taken(Key::enter));
    ui.press(Key::tab, body);
    ui.press(Key::enter, body);
    EXPECT_EQ(pressed, "1");
    EXPECT_TRUE(key_taken(Key::enter));
    EXPECT_FALSE(key_taken(Key::right)) << "a button has no use for arrows";
    ui.press(Key::tab, body);
    ui.press(Key::space, body);
    EXPECT_EQ(pressed, "12") << "a disabled button is passed over";
    ui.press(Key::tab, body, {.shift = true});
    ui.press(Key::space, body);
    EXPECT_EQ(pressed, "121");
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A row of steps that is put together.
class SequenceOfSteps : public testing::Test {
 protected:
    UiFrames ui;
    std::vector<Option> options = {{"up", "to the device"}, {"run", "a launch"}, {"down", "to the host"}};
    std::vector<std::uint32_t> steps = {0, 1, 2};
    int changes = 0;
    const std::function<void()> body = [this] {
        if (sequence("s.steps", options, &steps)) ++changes;
    };

    glm::vec2 middle(const std::string& id) const {
        const WidgetRect* const widget = UiFrames::find(id);
        return widget ? (widget->min + widget->max) / 2.0F : glm::vec2(0);
    }
};

TEST_F(SequenceOfSteps, IsAddedToAndTakenFrom) {
    ui.click("s.steps.add.up", body);
    EXPECT_THAT(steps, ElementsAre(0, 1, 2, 0));
    ui.click("s.steps.up.1.remove", body);
    EXPECT_THAT(steps, ElementsAre(1, 2, 0));
    EXPECT_EQ(changes, 2);
    for (const char* const id : {"s.steps.run.1.remove", "s.steps.down.1.remove", "s.steps.up.1.remove"})
        ui.click(id, body);
    EXPECT_THAT(steps, IsEmpty());
    ui.click("s.steps.add.run", body);
    EXPECT_THAT(steps, ElementsAre(1)) << "an empty row can be added to";
}

TEST_F(SequenceOfSteps, IsReorderedByDragging) {
    ui.frame(body);
    ui.mouse = middle("s.steps.down.1") - glm::vec2(12, 0);
    ui.frame(body);
    ui.mouse_down = true;
    ui.frame(body);
    ui.mouse = middle("s.steps.up.1") - glm::vec2(14, 0);
    for (int i = 0; i < 5; ++i)
        ui.frame(body);
    EXPECT_THAT(steps, ElementsAre(2, 0, 1));
    EXPECT_EQ(changes, 1) << "it stays where it was put while the mouse rests";
    ui.mouse_down = false;
    ui.frame(body);
    EXPECT_THAT(steps, ElementsAre(2, 0, 1));
}

TEST_F(SequenceOfSteps, IsReorderedByKeys) {
    ui.frame(body);
    ui.press(Key::tab, body);
    ui.press(Key::left, body, {.ctrl = true});
    EXPECT_THAT(steps, ElementsAre(0, 1, 2)) << "the first one has nowhere to go";
    ui.press(Key::right, body, {.ctrl = true});
    EXPECT_THAT(steps, ElementsAre(1, 0, 2));
    ui.press(Key::right, body, {.ctrl = true});
    EXPECT_THAT(steps, ElementsAre(1, 2, 0)) << "the keyboard went with it";
    ui.press(Key::left, body);
    ui.press(Key::del, body);
    EXPECT_THAT(steps, ElementsAre(1, 0)) << "the arrow alone goes to the one before";
    EXPECT_EQ(changes, 3);
}

TEST_F(SequenceOfSteps, TakesAsManyRowsAsItNeeds) {
    steps.assign(12, 2);
    ui.frame(body);
    float bottom = 0;
    for (const WidgetRect& widget : widget_map()) {
        EXPECT_LE(widget.max.x, 400) << widget.id << " is cut off";
        bottom = std::max(bottom, widget.max.y);
    }
    EXPECT_GT(middle("s.steps.down.12").y, middle("s.steps.down.1").y);
    EXPECT_NEAR(sequence_height(options, steps, ui.theme().px(384)),
                bottom - UiFrames::find("s.steps.down.1")->min.y, 1);
}

/// A window with one slider.
class Slider : public testing::Test {
 protected:
    UiFrames ui;
    float position = 0.5F;
    SliderResult typed;  ///< the last text that was entered
    int moves = 0;
    const std::function<void()> body = [this] {
        const SliderResult result = slider("s.size", "Size", "1\u2009024", "auto", &position, 10);
        if (result.moved) ++moves;
        if (result.text_entered) typed = result;
    };

    /// Clicks on the value and waits until it can be typed over.
    void start_typing() {
        ui.click("s.size.value", body);
        for (int i = 0; i < 4; ++i)
            ui.frame(body);
    }
};

TEST_F(Slider, FollowsTheMouse) {
    ui.frame(body);
    const WidgetRect rect = *UiFrames::find("s.size");
    EXPECT_EQ(rect.kind, "slider");
    EXPECT_EQ(rect.value, "1\u2009024");
    const float y = rect.max.y - 10;
    ui.mouse = {rect.min.x + 8, y};
    ui.frame(body);
    ui.mouse_down = true;
    ui.frame(body);
    EXPECT_NEAR(position, 0, 0.01);
    ui.mouse.x = (rect.min.x + rect.max.x) / 2;
    ui.frame(body);
    EXPECT_NEAR(position, 0.5, 0.01);
    // Held, it follows a mouse that has left it.
    ui.mouse = {rect.max.x + 100, 500};
    for (int i = 0; i < 3; ++i)
        ui.frame(body);
    EXPECT_FLOAT_EQ(position, 1);
    ui.mouse_down = false;
    ui.frame(body);
    ui.mouse.x = rect.min.x;
    ui.frame(body);
    EXPECT_FLOAT_EQ(position, 1);
    EXPECT_GE(moves, 3);
}

TEST_F(Slider, StepsByKeys) {
    ui.frame(body);
    ui.press(Key::right, body);
    EXPECT_FLOAT_EQ(position, 0.5F) << "without focus the arrows are not its own";
    EXPECT_FALSE(key_taken(Key::right));
    ui.press(Key::tab, body);
    EXPECT_TRUE(key_taken(Key::right));
    ui.press(Key::right, body);
    EXPECT_NEAR(position, 0.6, 1e-5);
    ui.press(Key::left, body);
    ui.press(Key::left, body);
    EXPECT_NEAR(position, 0.4, 1e-5);
    ui.press(Key::home, body);
    EXPECT_FLOAT_EQ(position, 0);
    ui.press(Key::left, body);
    EXPECT_FLOAT_EQ(position, 0);
    ui.press(Key::end, body);
    EXPECT_FLOAT_EQ(position, 1);
}

TEST_F(Slider, ValueIsTyped) {
    start_typing();
    ASSERT_TRUE(ImGui::GetIO().WantTextInput);
    EXPECT_TRUE(key_taken(Key::escape));
    EXPECT_TRUE(key_taken(Key::r));
    EXPECT_FALSE(key_taken(Key::f5));
    ui.frame(body, [] { feed_text("256"); });
    ui.press(Key::enter, body);
    EXPECT_TRUE(typed.text_entered);
    EXPECT_EQ(typed.text, "256");
    EXPECT_EQ(moves, 0);
}

TEST_F(Slider, LosesNoCharacterThatIsTypedAtOnce) {
    ui.click("s.size.value", body);
    for (const char* character : {"5", "1", "2"})
        ui.frame(body, [&] { feed_text(character); });
    ui.press(Key::enter, body);
    EXPECT_EQ(typed.text, "512");
}

TEST_F(Slider, TakesTheFirstOfPastedLines) {
    for (const auto& [pasted, taken] : {std::pair{"12\n345", "12"}, {"678\r\n", "678"}, {"90", "90"}}) {
        start_typing();
        ImGui::SetClipboardText(pasted);
        ui.press(Key::v, body, {.ctrl = true});
        ui.press(Key::enter, body, {});
        EXPECT_EQ(typed.text, taken);
        EXPECT_STREQ(ImGui::GetClipboardText(), pasted) << "it is there for others";
    }
}

TEST_F(Slider, EscapeKeepsTheValue) {
    start_typing();
    ui.frame(body, [] { feed_text("256"); });
    ui.press(Key::escape, body);
    ui.frame(body);
    EXPECT_FALSE(typed.text_entered);
    EXPECT_NE(UiFrames::find("s.size.value"), nullptr) << "the field is gone";
}

TEST_F(Slider, TakesARequestedValueAsIfTyped) {
    request_value("s.size", "2048");
    EXPECT_TRUE(value_is_requested("s.size"));
    ui.frame(body);
    EXPECT_FALSE(value_is_requested("s.size"));
    EXPECT_EQ(typed.text, "2048");
}

/// A window with one choice.
class Choice : public testing::Test {
 protected:
    UiFrames ui;
    const std::vector<Option> options{
        {"atomic_global", "One counter"}, {"tree_interleaved", ""}, {"tree_sequential", ""}};
    std::size_t index = 0;
    int changes = 0;
    const std::function<void()> body = [this] {
        if (choice("c.variant", "Variant", options, &index)) ++changes;
    };
};

TEST_F(Choice, OpensAndChoosesByMouse) {
    EXPECT_EQ(UiFrames::find("c.variant.tree_sequential"), nullptr);
    ui.click("c.variant", body);
    ui.frame(body);
    ui.click("c.variant.tree_sequential", body);
    EXPECT_EQ(index, 2U);
    EXPECT_EQ(changes, 1);
    ui.frame(body);
    ui.frame(body);
    EXPECT_EQ(UiFrames::find("c.variant.tree_sequential"), nullptr) << "the list is closed";
}

TEST_F(Choice, IsUsedByKeys) {
    ui.frame(body);
    ui.press(Key::tab, body);
    ui.press(Key::enter, body);
    EXPECT_TRUE(key_taken(Key::escape));
    ui.press(Key::down, body);
    ui.press(Key::enter, body);
    EXPECT_EQ(index, 1U);
    ui.frame(body);
    EXPECT_FALSE(key_taken(Key::escape));
    ui.press(Key::enter, body);
    ui.press(Key::down, body);
    ui.press(Key::escape, body);
    EXPECT_EQ(index, 1U) << "Escape changes nothing";
}

TEST_F(Choice, TakesALabelOrItsStart) {
    request_value("c.variant", "tree_s");
    ui.frame(body);
    EXPECT_EQ(index, 2U);
    request_value("c.variant", "atomic_global");
    ui.frame(body);
    EXPECT_EQ(index, 0U);
    request_value("c.variant", "nothing");
    ui.frame(body);
    EXPECT_EQ(index, 0U);
    EXPECT_EQ(changes, 2);
}

TEST(Tabs, ChangeByMouse) {
    UiFrames ui;
    std::size_t index = 0;
    const auto body = [&] { tabs("view", {{"result", "Result"}, {"timings", "Timings"}}, &index); };
    ui.click("view.timings", body);
    EXPECT_EQ(index, 1U);
    ui.frame(body);
    EXPECT_EQ(UiFrames::find("view.timings")->value, "selected");
}

TEST(Splitter, StaysWithinItsLimits) {
    UiFrames ui;
    float size = 200;
    const auto body = [&] { splitter("split", true, {size, 0}, {size + 1, 300}, &size, 100, 300, 1); };
    ui.mouse = {200, 100};
    ui.frame(body);
    ui.frame(body);
    ui.mouse_down = true;
    ui.frame(body);
    ui.mouse.x = 250;
    ui.frame(body);
    EXPECT_NEAR(size, 250, 1.5);
    ui.mouse.x = 790;
    ui.frame(body);
    EXPECT_FLOAT_EQ(size, 300);
    ui.mouse.x = 5;
    ui.frame(body);
    EXPECT_FLOAT_EQ(size, 100);
}

TEST(Map, HasWhatIsVisible) {
    UiFrames ui;
    ui.frame([] {
        begin_panel("p", {0, 0}, {200, 100}, IM_COL32_BLACK);
        button("p.top", "Top \"quoted\"");
        gap(500);
        button("p.below", "Below");
        end_panel();
    });
    ASSERT_NE(UiFrames::find("p.below"), nullptr);
    EXPECT_FALSE(UiFrames::find("p.below")->visible);
    const auto map = nlohmann::json::parse(widget_map_json());
    ASSERT_EQ(map.size(), 2U);
    EXPECT_EQ(map[0]["id"], "p");
    EXPECT_EQ(map[1]["kind"], "button");
    EXPECT_EQ(map[1]["value"], "Top \"quoted\"");
    EXPECT_EQ(map[1]["x"], 16);
    EXPECT_GT(map[1]["width"], 40);
}

TEST(Map, RevealScrollsAWidgetIntoView) {
    UiFrames ui;
    const auto body = [] {
        begin_panel("p", {0, 0}, {200, 100}, IM_COL32_BLACK);
        gap(500);
        button("p.below", "Below");
        end_panel();
    };
    ui.frame(body);
    ui.frame(body);
    reveal_widget("p.below");
    for (int i = 0; i < 4; ++i)
        ui.frame(body);
    EXPECT_TRUE(UiFrames::find("p.below")->visible);
}

TEST(Text, WrapsAndShortens) {
    UiFrames ui;
    ui.frame([] {
        const float line = theme().line_height(Type::body);
        const ImVec2 start = ImGui::GetCursorScreenPos();
        text_wrapped(Type::body, theme().palette().text, "one two three four five six seven", 100);
        EXPECT_GE(ImGui::GetCursorScreenPos().y - start.y, 2 * line);
        const ImVec2 after = ImGui::GetCursorScreenPos();
        text(Type::body, theme().palette().text, "one\ntwo");
        EXPECT_FLOAT_EQ(ImGui::GetCursorScreenPos().y - after.y, 2 * line);
    });
    EXPECT_EQ(elide(Type::body, "short", 200), "short");
    const std::string cut = elide(Type::body, "une façade élaborée, très longue", 100);
    EXPECT_THAT(cut, testing::EndsWith("…"));
    EXPECT_LE(text_size(Type::body, cut).x, 100);
}

TEST(Redraw, OnlyAMovingProgressLineAsksForFrames) {
    UiFrames ui;
    ui.frame([] { progress_line(0.5F); });
    EXPECT_TRUE(std::isinf(widgets_redraw_within()));
    ui.frame([] { progress_line(-1); });
    EXPECT_LT(widgets_redraw_within(), 0.1);
}

TEST(Redraw, WhatMovesLeavesASlowDriverTwoThirdsOfTheTime) {
    UiFrames ui;
    const auto asked_for_after = [&](double frame_s) {
        note_frame_cost(frame_s);
        ui.frame([] { progress_line(-1); });
        return widgets_redraw_within();
    };
    EXPECT_DOUBLE_EQ(asked_for_after(0.002), 1.0 / 30);
    EXPECT_DOUBLE_EQ(asked_for_after(0.06), 0.12);
    EXPECT_DOUBLE_EQ(asked_for_after(3), 0.2) << "it still moves";
}

}  // namespace
}  // namespace gridstride::ui

// Input that arrives faster than frames is neither lost nor reordered.
#include "ui/widgets/input_queue.h"

#include "test_includes.h"

namespace gridstride::ui::input_line_test {

using Kind = InputEvent::Kind;
using Role = InputEvent::Role;

/// Makes an event from a short notation: "+F5" presses a key, "-F5" releases it, "'a" is a typed character,
/// "[1" and "]1" press and release a button, "@7" moves the mouse to x = 7, "~" turns the wheel, "<" leaves
/// the window, "!" changes the focus. Lower-case keys type characters, "Ctrl" and "Shift" are modifiers, "^"
/// marks a key that is pressed together with Ctrl.
InputEvent make_event(const std::string& word) {
    const std::string name = word.substr(1);
    switch (word[0]) {
        case '\'':
            return {.kind = Kind::character, .code = name[0]};
        case '[':
            return {.kind = Kind::button_down, .code = name[0]};
        case ']':
            return {.kind = Kind::button_up, .code = name[0]};
        case '@':
            return {.kind = Kind::motion, .x = std::stod(name)};
        case '~':
            return {.kind = Kind::wheel, .y = 1};
        case '<':
            return {.kind = Kind::leave};
        case '!':
            return {.kind = Kind::focus};
        default:
            break;
    }
    const bool with_ctrl = name[0] == '^';
    const std::string key = with_ctrl ? name.substr(1) : name;
    const Role role = key == "Ctrl" || key == "Shift"                            ? Role::modifier
                      : with_ctrl || key.size() > 1 || std::isupper(key[0]) != 0 ? Role::command
                                                                                 : Role::character;
    // The codes differ for all names that the tests use.
    int code = 0;
    for (const char c : key)
        code = (code * 31 + c) % 100'003;
    return {.kind = word[0] == '+' ? Kind::key_down : Kind::key_up, .code = code, .role = role};
}

/// Returns how many of these events each frame takes.
std::vector<std::size_t> frame_sizes(const std::vector<std::string>& words) {
    InputQueue queue;
    for (const std::string& word : words)
        queue.add(make_event(word));
    std::vector<std::size_t> frames;
    while (!queue.empty()) {
        frames.push_back(queue.pop_frame().size());
        if (frames.back() == 0) break;
    }
    return frames;
}

TEST(InputQueue, EmptyQueueGivesAnEmptyFrame) {
    InputQueue queue;
    EXPECT_TRUE(queue.empty());
    EXPECT_TRUE(queue.pop_frame().empty());
}

TEST(InputQueue, ReleaseWaitsForTheFrameAfterItsPress) {
    EXPECT_THAT(frame_sizes({"+F5", "-F5"}), ElementsAre(1, 1));
    EXPECT_THAT(frame_sizes({"[1", "]1"}), ElementsAre(1, 1));
}

TEST(InputQueue, PressWaitsForTheFrameAfterThePreviousRelease) {
    // A key that is down in both frames would look as if it had been held.
    EXPECT_THAT(frame_sizes({"+Right", "-Right", "+Right", "-Right"}), ElementsAre(1, 1, 1, 1));
    EXPECT_THAT(frame_sizes({"-Right", "+Right"}), ElementsAre(1, 1));
    EXPECT_THAT(frame_sizes({"[1", "]1", "[1", "]1"}), ElementsAre(1, 1, 1, 1));
}

TEST(InputQueue, ModifiersApplyOnlyToTheirKey) {
    EXPECT_THAT(frame_sizes({"+Ctrl", "+^s", "-Ctrl", "-s"}), ElementsAre(2, 2));
    EXPECT_THAT(frame_sizes({"+^s", "-Ctrl"}), ElementsAre(1, 1)) << "Ctrl was down for the first event";
    EXPECT_THAT(frame_sizes({"+F5", "+Ctrl"}), ElementsAre(1, 1)) << "not Ctrl+F5";
    EXPECT_THAT(frame_sizes({"[1", "+Shift"}), ElementsAre(1, 1));
    EXPECT_THAT(frame_sizes({"~", "-Ctrl"}), ElementsAre(1, 1));
}

TEST(InputQueue, CommandsAndLettersKeepTheirOrder) {
    EXPECT_THAT(frame_sizes({"+a", "'a", "+b", "'b"}), ElementsAre(4)) << "letters do not wait";
    EXPECT_THAT(frame_sizes({"+a", "'a", "+Enter", "+b", "'b"}), ElementsAre(2, 2, 1));
    EXPECT_THAT(frame_sizes({"+Left", "+Backspace"}), ElementsAre(1, 1));
    EXPECT_THAT(frame_sizes({"+^x", "+^v"}), ElementsAre(1, 1));
}

TEST(InputQueue, ClicksKeepTheirPosition) {
    EXPECT_THAT(frame_sizes({"@1", "@2", "[1", "@3", "@4", "]1", "@5"}), ElementsAre(2, 2, 1));
    EXPECT_THAT(frame_sizes({"@1", "~", "~", "@2"}), ElementsAre(3, 1));
    EXPECT_THAT(frame_sizes({"@1", "[1", "<"}), ElementsAre(2, 1));
    EXPECT_THAT(frame_sizes({"[1", "'a"}), ElementsAre(1, 1)) << "the character goes to the clicked widget";
    EXPECT_THAT(frame_sizes({"'a", "[1"}), ElementsAre(1, 1));
}

TEST(InputQueue, MergesConsecutiveMotions) {
    InputQueue queue;
    for (const char* word : {"@1", "@2", "@3"})
        queue.add(make_event(word));
    const auto frame = queue.pop_frame();
    ASSERT_EQ(frame.size(), 1U);
    EXPECT_EQ(frame[0].x, 3);
    EXPECT_TRUE(queue.empty());
}

TEST(InputQueue, DeliversKeysBeforeALossOfFocus) {
    EXPECT_THAT(frame_sizes({"+F5", "!", "-F5"}), ElementsAre(1, 2));
    EXPECT_THAT(frame_sizes({"@1", "!"}), ElementsAre(2));
}

}  // namespace gridstride::ui::input_line_test

// What becomes of input that comes faster than frames: nothing is lost and nothing changes places.
#include "ui/widgets/input_queue.h"

#include "test_includes.h"

namespace gridstride::ui::input_line_test {

using Kind = InputEvent::Kind;
using Role = InputEvent::Role;

/// Events in a notation of one word each: "+F5" goes down, "-F5" comes up, "'a" is written, "[1" and "]1" are
/// a button, "@7" is the mouse at 7, "~" the wheel, "<" leaves, "!" is focus. Lower-case keys write, "Ctrl"
/// and "Shift" are modifiers, "^" marks a key that is pressed together with Ctrl.
InputEvent event_of(const std::string& word) {
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
    // Another one for each name that the tests use.
    int code = 0;
    for (const char c : key)
        code = (code * 31 + c) % 100'003;
    return {.kind = word[0] == '+' ? Kind::key_down : Kind::key_up, .code = code, .role = role};
}

/// How many words each frame takes.
std::vector<std::size_t> frames_of(const std::vector<std::string>& words) {
    InputQueue line;
    for (const std::string& word : words)
        line.add(event_of(word));
    std::vector<std::size_t> frames;
    while (!line.empty()) {
        frames.push_back(line.pop_frame().size());
        if (frames.back() == 0) break;
    }
    return frames;
}

TEST(InputQueue, WithoutEventsAFrameTakesNone) {
    InputQueue line;
    EXPECT_TRUE(line.empty());
    EXPECT_TRUE(line.pop_frame().empty());
}

TEST(InputQueue, AReleaseWaitsForTheFrameAfterItsPress) {
    EXPECT_THAT(frames_of({"+F5", "-F5"}), ElementsAre(1, 1));
    EXPECT_THAT(frames_of({"[1", "]1"}), ElementsAre(1, 1));
}

TEST(InputQueue, APressWaitsForTheFrameAfterTheReleaseBeforeIt) {
    // Down in both frames would look as if it had been held.
    EXPECT_THAT(frames_of({"+Right", "-Right", "+Right", "-Right"}), ElementsAre(1, 1, 1, 1));
    EXPECT_THAT(frames_of({"-Right", "+Right"}), ElementsAre(1, 1));
    EXPECT_THAT(frames_of({"[1", "]1", "[1", "]1"}), ElementsAre(1, 1, 1, 1));
}

TEST(InputQueue, AModifierIsThatOfItsKey) {
    EXPECT_THAT(frames_of({"+Ctrl", "+^s", "-Ctrl", "-s"}), ElementsAre(2, 2));
    EXPECT_THAT(frames_of({"+^s", "-Ctrl"}), ElementsAre(1, 1)) << "Ctrl was down before";
    EXPECT_THAT(frames_of({"+F5", "+Ctrl"}), ElementsAre(1, 1)) << "not Ctrl+F5";
    EXPECT_THAT(frames_of({"[1", "+Shift"}), ElementsAre(1, 1));
    EXPECT_THAT(frames_of({"~", "-Ctrl"}), ElementsAre(1, 1));
}

TEST(InputQueue, CommandsAndLettersKeepTheirOrder) {
    EXPECT_THAT(frames_of({"+a", "'a", "+b", "'b"}), ElementsAre(4)) << "letters do not wait";
    EXPECT_THAT(frames_of({"+a", "'a", "+Enter", "+b", "'b"}), ElementsAre(2, 2, 1));
    EXPECT_THAT(frames_of({"+Left", "+Backspace"}), ElementsAre(1, 1));
    EXPECT_THAT(frames_of({"+^x", "+^v"}), ElementsAre(1, 1));
}

TEST(InputQueue, AClickCountsWhereItIsMade) {
    EXPECT_THAT(frames_of({"@1", "@2", "[1", "@3", "@4", "]1", "@5"}), ElementsAre(2, 2, 1));
    EXPECT_THAT(frames_of({"@1", "~", "~", "@2"}), ElementsAre(3, 1));
    EXPECT_THAT(frames_of({"@1", "[1", "<"}), ElementsAre(2, 1));
    EXPECT_THAT(frames_of({"[1", "'a"}), ElementsAre(1, 1)) << "typed into what was clicked on";
    EXPECT_THAT(frames_of({"'a", "[1"}), ElementsAre(1, 1));
}

TEST(InputQueue, OfMotionsInARowTheNewestIsTaken) {
    InputQueue line;
    for (const char* word : {"@1", "@2", "@3"})
        line.add(event_of(word));
    const auto frame = line.pop_frame();
    ASSERT_EQ(frame.size(), 1U);
    EXPECT_EQ(frame[0].x, 3);
    EXPECT_TRUE(line.empty());
}

TEST(InputQueue, AKeyIsSeenBeforeTheWindowLosesTheKeyboard) {
    EXPECT_THAT(frames_of({"+F5", "!", "-F5"}), ElementsAre(1, 2));
    EXPECT_THAT(frames_of({"@1", "!"}), ElementsAre(2));
}

}  // namespace gridstride::ui::input_line_test

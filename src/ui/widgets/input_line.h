// Input that waits in line for frames. Before 1.87 ImGui looks at what is down once a frame: what goes down
// and up again during one frame would be lost, and what comes in one frame has no order. So a frame takes
// only as much of the line as it can tell apart, and leaves the rest to the next.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace gridstride::ui {

struct InputEvent {
    enum class Kind {
        key_down,
        key_up,
        character,
        button_down,
        button_up,
        motion,  ///< to x, y
        wheel,   ///< by x, y
        leave,   ///< the mouse left the window
        focus,   ///< the window has the keyboard, or not: code is 1 or 0
    };
    /// What a key is there for.
    enum class Role {
        character,  ///< the letter that it writes comes as an event of its own
        modifier,   ///< Ctrl, Shift, Alt, Super: ImGui reads them once for all that comes in a frame
        command,    ///< all others, and every key together with Ctrl, Alt or Super
    };
    Kind kind = Kind::motion;
    int code = 0;  ///< of the key, the character or the button
    int scancode = 0;
    int modifiers = 0;
    Role role = Role::command;  ///< of keys
    double x = 0, y = 0;
};

class InputLine {
 public:
    void add(const InputEvent& event) { waiting_.push_back(event); }
    /// The events for the next frame, in their order; at least one while there are any.
    std::vector<InputEvent> take_frame();
    bool empty() const { return waiting_.empty(); }

 private:
    std::deque<InputEvent> waiting_;
};

}  // namespace gridstride::ui

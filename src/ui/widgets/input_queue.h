// Queues input events and splits them into frames. Before 1.87, ImGui samples the state of keys and buttons
// once per frame: a press and release within a frame would be lost, and so would the order of events. Each
// frame therefore gets only the events that ImGui can tell apart.
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
        focus,   ///< keyboard focus of the window; code: 1 or 0
    };
    /// How a key is handled.
    enum class Role {
        character,  ///< the character that it types is a separate event
        modifier,   ///< Ctrl, Shift, Alt, Super: ImGui reads them once per frame
        command,    ///< other keys, and every key with Ctrl, Alt or Super
    };
    Kind kind = Kind::motion;
    int code = 0;  ///< of the key, the character or the button
    int scancode = 0;
    int modifiers = 0;
    Role role = Role::command;  ///< of keys
    double x = 0, y = 0;
};

class InputQueue {
 public:
    void add(const InputEvent& event) { events_.push_back(event); }
    /// Removes and returns the events of the next frame, in order; at least one unless the queue is empty.
    std::vector<InputEvent> pop_frame();
    bool empty() const { return events_.empty(); }

 private:
    std::deque<InputEvent> events_;
};

}  // namespace gridstride::ui

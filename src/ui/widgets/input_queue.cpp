#include "ui/widgets/input_queue.h"

#include <algorithm>

namespace gridstride::ui {

namespace {

using Kind = InputEvent::Kind;
using Role = InputEvent::Role;

bool is_key(const InputEvent& event) {
    return event.kind == Kind::key_down || event.kind == Kind::key_up;
}
bool is_button(const InputEvent& event) {
    return event.kind == Kind::button_down || event.kind == Kind::button_up;
}
bool is_command(const InputEvent& event) {
    return event.kind == Kind::key_down && event.role == Role::command;
}
/// Events whose meaning depends on the modifiers.
bool is_modified(const InputEvent& event) {
    return (event.kind == Kind::key_down && event.role != Role::modifier) || is_button(event) ||
           event.kind == Kind::wheel;
}

/// Returns true if ImGui would lose one of the two events, or their order, within one frame.
bool need_separate_frames(const InputEvent& before, const InputEvent& after) {
    switch (after.kind) {
        case Kind::key_down:
        case Kind::key_up:
            if (is_key(before) && before.code == after.code) return true;
            if (after.role == Role::modifier) return is_modified(before);
            if (!is_command(after)) return false;
            // A text field handles one command per frame, after the characters before it.
            return is_command(before) || before.kind == Kind::character || is_button(before);
        case Kind::character:
            return is_command(before) || is_button(before);
        case Kind::button_down:
        case Kind::button_up:
            if (is_button(before) && before.code == after.code) return true;
            return is_command(before) || before.kind == Kind::character || before.kind == Kind::wheel;
        case Kind::motion:
        case Kind::leave:
        case Kind::wheel:
            // The mouse has one position per frame, and a click must use the position where it was made.
            return is_button(before) || (before.kind == Kind::wheel && after.kind != Kind::wheel);
        case Kind::focus:
            // ImGui releases all keys when the window loses the focus.
            return before.kind != Kind::motion && before.kind != Kind::leave;
    }
    return false;
}

}  // namespace

std::vector<InputEvent> InputQueue::pop_frame() {
    std::vector<InputEvent> frame;
    while (!events_.empty()) {
        const InputEvent& next = events_.front();
        const bool needs_next_frame =
            std::any_of(frame.begin(), frame.end(),
                        [&next](const InputEvent& event) { return need_separate_frames(event, next); });
        if (needs_next_frame) break;
        // A mouse sends thousands of positions per second; only the newest counts.
        if (next.kind == Kind::motion && !frame.empty() && frame.back().kind == Kind::motion)
            frame.pop_back();
        frame.push_back(next);
        events_.pop_front();
    }
    return frame;
}

}  // namespace gridstride::ui

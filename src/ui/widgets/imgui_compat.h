// What differs between the versions of Dear ImGui that Debian ships, 1.86 (Debian 12) and 1.90 (Debian 13),
// and what its internal header alone offers, which changes with every version. No other file includes that
// header.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <string_view>

#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// The keys that the program knows. From 1.87 on ImGui has such names itself; before, a program used its
/// window library's codes. Letters have their ASCII codes; those that have no name here are found by
/// key_named(), as are the function keys.
enum class Key {
    tab,
    left,
    right,
    up,
    down,
    page_up,
    page_down,
    home,
    end,
    insert,
    del,
    backspace,
    space,
    enter,
    escape,
    plus = '+',  ///< + and - of the main block (+ is also found where = is), and 0
    minus = '-',
    digit_0 = '0',
    a = 'a',
    b = 'b',
    c = 'c',
    l = 'l',
    p = 'p',
    r = 'r',
    s = 's',
    v = 'v',
    x = 'x',
    y = 'y',
    z = 'z',
    f1,
    f5 = f1 + 4,
    f10 = f1 + 9,
    f11,
    f12,
};

struct Modifiers {
    bool ctrl = false, shift = false, alt = false;
    friend bool operator==(const Modifiers&, const Modifiers&) = default;
};

/// Went down in this frame (or, with repeat, is being repeated), whatever the modifiers. Enter, +, - and 0
/// are true for the keypad's as well.
bool key_pressed(Key key, bool repeat = false);
/// The same with exactly these modifiers: key_pressed_with(Key::s, {.ctrl = true}). + ignores Shift, which
/// some keyboards need for it.
bool key_pressed_with(Key key, Modifiers modifiers, bool repeat = false);
Modifiers modifiers_down();

/// "F5", "Right", "Page Up" or "PageUp", "Enter", "a", "+": nullopt for anything else. Case does not matter.
std::optional<Key> key_named(std::string_view name);

/// Input from elsewhere than the window: after the backends' NewFrame, before ImGui::NewFrame.
void feed_mouse_position(glm::vec2 position);
void feed_mouse_button(int button, bool down);
void feed_mouse_wheel(float lines);
void feed_key(Key key, bool down);
void feed_modifiers(Modifiers modifiers);
void feed_text(std::string_view utf8);

/// Without a window backend: which of the keys ImGui's own widgets use.
void map_keys_without_window();
/// Some input has not reached a frame yet, since ImGui takes one press or release of a key a frame. Always
/// false before 1.87.
bool input_is_waiting();

/// An id that depends on the name alone, not on the window.
ImGuiID id_of(std::string_view name);
/// Moves the cursor on as an item of this size does: under it, in the line that is being filled.
void advance_cursor(glm::vec2 size);
/// An item of an id that ImGui did not make. False: it is scrolled away.
bool add_item(const Rect& rect, ImGuiID id);
struct Press {
    bool hovered = false;
    bool held = false;  ///< the mouse button went down on it and is still down
    bool clicked = false;
};
/// What the mouse does with the item; `on_down`: it is clicked when the button goes down, not when it comes
/// up.
Press press_of(const Rect& rect, ImGuiID id, bool on_down = false);
bool is_hovered(const Rect& rect, ImGuiID id);
/// Until the button comes up, the mouse is this item's alone, as it is anyway after a press of the left
/// button.
void take_mouse(ImGuiID id, ImGuiMouseButton button);
ImGuiID active_item();  ///< that the mouse or the keyboard is at work on; 0: none
void release_active_item();
/// To the text field with this label, the next that is drawn; it has the keyboard from the next frame on.
void give_keyboard_to_next_field(const char* label);
ImGuiMouseButton active_button();  ///< the one that went down on the active item
/// The wheel is the last item's, which the mouse is on or (`active`) at work on: no window scrolls by it.
void take_wheel(bool active);
void expect_typing();  ///< in the next frame characters are wanted
std::string utf8(ImWchar character);

/// Scrolls the window, and those around it, as little as will do.
void scroll_into_view(const Rect& rect);
/// What is seen of the window's contents, and what is not clipped by the windows around it.
Rect window_view();
Rect window_clip();
bool window_is_hidden();  ///< collapsed or clipped away: nothing in it is drawn
ImGuiID root_window();    ///< of the window that is being drawn
/// Columns keep some room at their right; from here on the contents reach up to this.
void set_right_edge(float x);

bool begin_popup(ImGuiID id);  ///< without title bar, not moved, not resized by hand; as ImGui::BeginPopup
bool popup_is_open(ImGuiID id);
/// The root window of the popup that was opened last; nullopt: none is open. 0: it has not been drawn yet.
std::optional<ImGuiID> top_popup();

}  // namespace gridstride::ui

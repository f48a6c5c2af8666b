// What differs between the versions of Dear ImGui that Debian ships: 1.86 (Debian 12) and 1.90 (Debian 13).
// Nothing else in this room looks at IMGUI_VERSION_NUM.
#pragma once

#include <imgui.h>

#include <optional>
#include <string_view>

namespace gridstride::ui {

/// The keys that the program knows. From 1.87 on ImGui has such names itself; before, a program used its
/// window library's codes.
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
    plus,
    minus,
    digit_0,  ///< + and - of the main block (+ is also found where = is), and 0
    a,
    b,
    c,
    d,
    e,
    f,
    g,
    h,
    i,
    j,
    k,
    l,
    m,
    n,
    o,
    p,
    q,
    r,
    s,
    t,
    u,
    v,
    w,
    x,
    y,
    z,
    f1,
    f2,
    f3,
    f4,
    f5,
    f6,
    f7,
    f8,
    f9,
    f10,
    f11,
    f12,
};
constexpr int key_count = static_cast<int>(Key::f12) + 1;

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
void feed_mouse_position(ImVec2 position);
void feed_mouse_button(int button, bool down);
void feed_mouse_wheel(float lines);
void feed_key(Key key, bool down);
void feed_modifiers(Modifiers modifiers);
void feed_text(std::string_view utf8);

/// Without a window backend: which of the keys ImGui's own widgets use.
void map_keys_without_window();

}  // namespace gridstride::ui

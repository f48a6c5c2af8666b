// The differences between the versions of Dear ImGui in Debian, 1.86 (Debian 12), 1.90 (Debian 13) and 1.92
// (forky), and everything that needs ImGui's internal header, which changes with every version. No other file
// includes it. What differs between the Vulkan backends is in ui/window/imgui_vulkan_impl.h.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <string_view>

#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// The keys that the program uses. ImGui has its own key names since 1.87; before, programs used the codes of
/// their window library. Letters have their ASCII codes; key_from_name() also returns letters and function
/// keys that have no enumerator.
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
    /// + and - of the main block (+ also on the = key), and 0.
    plus = '+',
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

/// Returns true if the key was pressed in this frame, or repeated if `repeat`, with any modifiers. Includes
/// the keypad's Enter, +, - and 0.
bool is_key_pressed(Key key, bool repeat = false);
/// Returns true if the key was pressed with exactly these modifiers: is_key_pressed_with(Key::s, {.ctrl =
/// true}). + ignores Shift, which some keyboards need for it.
bool is_key_pressed_with(Key key, Modifiers modifiers, bool repeat = false);
Modifiers modifiers_down();

/// Returns the key with this name: "F5", "Right", "Page Up" or "PageUp", "Enter", "a", "+"; nullopt if there
/// is none. Ignores case.
std::optional<Key> key_from_name(std::string_view name);

/// The capabilities that a renderer must have: to draw more than 65 536 vertices in several parts and,
/// since 1.92, create and update textures. A context without a renderer needs these flags before its first
/// frame.
extern const ImGuiBackendFlags renderer_flags;

/// Removes all fonts. FreeType renders those that are added from now on.
void clear_fonts(ImFontAtlas& atlas);
/// Call after the last font was added. Before 1.92, renders all their glyphs; since 1.92, ImGui renders a
/// glyph when a text needs it.
void finish_fonts(ImFontAtlas& atlas);
/// Returns the fonts that a second context can share while the first one draws frames; nullptr since 1.92,
/// where a frame can replace a texture that the second context still draws with.
ImFontAtlas* shareable_fonts();
// A font has one size. Sizes and positions are in pixels.
float font_size(const ImFont& font);    ///< from the top of the ascenders to the bottom of the descenders
float font_ascent(const ImFont& font);  ///< from the top to the baseline
float char_advance(const ImFont& font, ImWchar character);
/// Returns nullptr if the font lacks the character. The pointer is valid until the font is used again.
const ImFontGlyph* find_glyph(const ImFont& font, ImWchar character);
/// Sets the width of a character that draws nothing. Call after finish_fonts().
void set_space(ImFont& font, ImWchar space, float advance);

/// Feed simulated input. Must be called after the backends' NewFrame and before ImGui::NewFrame.
void feed_mouse_position(glm::vec2 position);
void feed_mouse_button(int button, bool down);
void feed_mouse_wheel(float lines);
void feed_key(Key key, bool down);
void feed_modifiers(Modifiers modifiers);
void feed_text(std::string_view utf8);

#if IMGUI_VERSION_NUM < 19200
using ClipboardReader = const char* (*)(void*);
#else
using ClipboardReader = const char* (*)(ImGuiContext*);
#endif
/// The function with which ImGui's text fields read the clipboard.
ClipboardReader& clipboard_reader();

/// Maps the keys of ImGui's own widgets if there is no window backend.
void map_keys_without_window();
/// Returns true if some input has not been processed, because ImGui processes one press or release of a key
/// per frame. Always false before 1.87.
bool has_pending_input();

/// Returns an id that depends only on the name, not on the window.
ImGuiID make_widget_id(std::string_view name);
/// Sets the cursor's position on the screen. The contents of the window, or of the group, reach at least
/// there; ImGui's own function does this only before 1.92.
void set_cursor(glm::vec2 position);
/// Moves the cursor as an item of this size would.
void advance_cursor(glm::vec2 size);
/// Adds an item whose id was not created by ImGui. Returns false if it is scrolled out of view.
bool add_item(const Rect& rect, ImGuiID id);
struct Press {
    bool is_hovered = false;
    bool is_held = false;  ///< the mouse button was pressed on it and is still down
    bool was_clicked = false;
};
/// Returns the mouse's actions on the item. `on_down`: clicked when the button is pressed, not released.
Press handle_press(const Rect& rect, ImGuiID id, bool on_down = false);
bool is_hovered(const Rect& rect, ImGuiID id);
/// Captures the mouse for this item until the button is released, as a press of the left button does.
void capture_mouse(ImGuiID id, ImGuiMouseButton button);
ImGuiID active_item();  ///< in use by mouse or keyboard; 0: none
void release_active_item();
/// Gives the keyboard to the next text field, which must have this label, from the next frame on.
void focus_next_field(const char* label);
ImGuiMouseButton active_button();  ///< the button pressed on the active item
/// Captures the wheel for the last item, so that no window scrolls. `is_active`: the item is in use.
void capture_wheel(bool is_active);
void request_text_input();  ///< requests text input in the next frame
std::string utf8(ImWchar character);

/// Scrolls the window, and those around it, by the minimum.
void scroll_into_view(const Rect& rect);
/// Return the visible area of the window's contents, and the part that no surrounding window clips.
Rect window_inner_rect();
Rect window_clip_rect();
bool is_window_hidden();  ///< collapsed or clipped: nothing in it is drawn
ImGuiID root_window();    ///< of the current window
/// Sets the right edge of the contents. ImGui's columns otherwise leave a margin there.
void set_right_edge(float x);

/// Like ImGui::BeginPopup(): no title bar, not movable, not resizable.
bool begin_popup(ImGuiID id);
bool is_popup_open(ImGuiID id);
/// Returns the root window of the popup opened last; nullopt if none is open; 0 if it has not been drawn yet.
std::optional<ImGuiID> top_popup();

}  // namespace gridstride::ui

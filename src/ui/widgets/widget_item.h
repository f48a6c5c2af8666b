// Common to all widgets: ids, the Tab order, and the handling of mouse and keyboard.
#pragma once

#include <imgui.h>

#include <optional>
#include <string_view>

#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/theme.h"

namespace gridstride::ui {

/// `was_clicked`: by the mouse, or by Space or Enter.
struct Item : Press {
    Rect rect;
    bool is_visible = false;  ///< not scrolled out of view
    bool is_focused = false;  ///< has the keyboard; the widget draws the ring
};
struct ItemTraits {
    bool is_enabled = true;
    bool takes_text = false;        ///< the widget uses letters, Tab, Enter, Escape and arrows
    bool takes_arrows = false;      ///< a focused widget uses arrow keys, Home and End
    bool ring_after_click = false;  ///< shows the ring also after a click
    bool press_on_down = false;     ///< clicked when the button is pressed, not released
};
/// Adds the item to ImGui's frame and to the Tab order. `active`: the part that the mouse acts on. Does not
/// move the cursor: call advance_cursor() first if needed.
Item interact(ImGuiID id, const Rect& whole, const Rect& active, const ItemTraits& traits = {});

/// A widget's entry in the widget map.
struct WidgetMapEntry {
    std::string_view kind;
    std::string_view value = {};
};
/// Also registers the widget in the map.
Item interact(std::string_view id, const WidgetMapEntry& entry, const Rect& whole, const Rect& active,
              const ItemTraits& traits = {});
inline Item interact(std::string_view id, const WidgetMapEntry& entry, const Rect& whole,
                     const ItemTraits& traits = {}) {
    return interact(id, entry, whole, whole, traits);
}
/// For the mouse only: the item is not in the Tab order.
Press handle_press(std::string_view id, const WidgetMapEntry& entry, const Rect& rect);

/// The Tab state of one of ImGui's text fields. ImGui only knows whether the field is being edited.
struct FieldFocus {
    bool is_reachable = false;  ///< false: it must not be edited now
    bool take = false;          ///< reached by Tab or focus_widget(): it must take the keyboard
    bool leave = false;         ///< Tab moved on: it must release the keyboard
};
/// Adds a text field to the Tab order. `is_typing`: the field has the keyboard. Must be called before the
/// field is drawn.
FieldFocus field_focus(ImGuiID id, bool is_typing, bool is_enabled);

/// Gives the keyboard exclusively to the current window, which is a dialog's, from here until the same call
/// in the next frame. Removes the widgets below it from the Tab order.
void set_modal_window();

/// During its lifetime, widgets are added at the start of the Tab order.
class TabOrderFirst {
 public:
    TabOrderFirst();
    ~TabOrderFirst();
    TabOrderFirst(const TabOrderFirst&) = delete;
    TabOrderFirst& operator=(const TabOrderFirst&) = delete;

 private:
    bool previous_;
};

/// During its lifetime, widgets are registered in a separate map, and their keyboard focus and redraw
/// requests do not affect the window's widgets.
class WidgetScope {
 public:
    WidgetScope();
    ~WidgetScope();
    WidgetScope(const WidgetScope&) = delete;
    WidgetScope& operator=(const WidgetScope&) = delete;
};

/// Takes the keyboard from the focused widget; Tab continues from it.
void release_keyboard();
/// Clears the focus; Tab starts at the first widget.
void clear_focus();
/// Keeps the focus on the widget although the mouse was pressed outside it, on its scroll bar.
void set_focus(ImGuiID id);

void draw_focus_ring(const Rect& rect, float rounding);
/// Returns the visible part of the ring of the current frame; nullopt: none was drawn.
std::optional<Rect> focus_ring();
/// Draws the knob of a slider, and around it that the mouse or the keyboard is on it.
void draw_knob(glm::vec2 centre, float radius, const Item& item);
/// Draws diagonal lines over a rectangle, as a sign that it has no number.
void draw_hatch(ImDrawList* list, const Rect& rect, ImU32 color);
/// Draws a frame inside the rectangle, so that adjacent cells do not cover it.
void draw_frame(ImDrawList* list, const Rect& rect, ImU32 color, float thickness);

/// Used by draw_glyphs() to record the texts of a frame, see record_drawn_texts().
bool records_drawn_texts();
void add_drawn_text(std::string_view text, const Rect& rect, const Rect& clip);

void show_tooltip(const Rect& under, std::string_view words);
/// Shows a tooltip if the mouse has rested on the item for 0.35 s.
void show_delayed_tooltip(const Item& item, ImGuiID id, std::string_view words);
/// Registers a place that is not a widget, with a value for scripts and, unless `tip` is empty, a tooltip.
void register_place(std::string_view id, const Rect& place, std::string_view value,
                    std::string_view tip = {});
void request_redraw_within(double seconds);

/// Returns true if the key was pressed without Ctrl or Alt, and no text field has the keyboard.
bool is_plain_key_pressed(Key key, bool repeat = false);
/// Scrolls the current panel: Up and Down by lines, Home and End; with `by_pages` also by pages.
void scroll_by_keys(bool by_pages);

ImU32 with_style_alpha(ImU32 color);  ///< with the style's alpha
float baseline(TextStyle type);       ///< in pixels from the top of a line
glm::vec2 cursor();                   ///< of the next item, in whole pixels
float content_width();                ///< from the cursor to the panel's right edge

}  // namespace gridstride::ui

// What every widget shares: its id, its place in the Tab order, and how mouse and keyboard act on it.
#pragma once

#include <imgui.h>

#include <string_view>

#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/theme.h"

namespace gridstride::ui {

/// clicked: by the mouse, or by Space or Enter.
struct Item : Press {
    Rect rect;
    bool visible = false;  ///< not scrolled away: worth drawing
    bool focused = false;  ///< has the keyboard: draw the ring
};
struct ItemTraits {
    bool enabled = true;
    bool takes_text = false;        ///< letters, Tab, Enter, Escape and the arrow keys are the widget's, too
    bool takes_arrows = false;      ///< arrow keys, Home and End are the widget's while it has the focus
    bool ring_after_click = false;  ///< shows that keys act on it even when it was reached by mouse
    bool press_on_down = false;     ///< acts when the button goes down, not when it comes up
};
/// Adds the item to ImGui's frame and to the Tab order. `active` is the part that the mouse acts on. Call
/// advance_cursor() first if the cursor should move on.
Item interact(ImGuiID id, const Rect& whole, const Rect& active, const ItemTraits& traits = {});

/// What scripts see of a widget in the widget map.
struct MapEntry {
    std::string_view kind;
    std::string_view value = {};
};
/// The same, and the widget is entered in the map.
Item interact(std::string_view id, const MapEntry& entry, const Rect& whole, const Rect& active,
              const ItemTraits& traits = {});
inline Item interact(std::string_view id, const MapEntry& entry, const Rect& whole,
                     const ItemTraits& traits = {}) {
    return interact(id, entry, whole, whole, traits);
}
/// For the mouse alone: it is not in the Tab order.
Press press_of(std::string_view id, const MapEntry& entry, const Rect& rect);

/// A text field of ImGui's own as a stop of Tab: ImGui knows only when it is typed into.
struct FieldFocus {
    bool reachable = false;  ///< false: it must not be typed into now
    bool take = false;       ///< Tab or focus_widget() came to it: it should take the keyboard
    bool leave = false;      ///< Tab went on from it: it should give the keyboard back
};
/// `typing`: it has the keyboard. Call it before the field is drawn.
FieldFocus field_focus(ImGuiID id, bool typing, bool enabled);

/// From here on in this frame, and in the next up to here, the keyboard reaches the widgets of the window
/// that is being drawn alone: it is a dialog's. What lies under it is left out of the Tab order.
void keep_keyboard_in_this_window();

/// While it lives, what is drawn comes before all else in the order of Tab.
class TabOrderFirst {
 public:
    TabOrderFirst();
    ~TabOrderFirst();
    TabOrderFirst(const TabOrderFirst&) = delete;
    TabOrderFirst& operator=(const TabOrderFirst&) = delete;

 private:
    bool before_;
};

/// While it lives, what is drawn is not of the window: its widgets are entered in a map of their own, and
/// nothing of theirs, such as the keyboard or a wish to be drawn again, reaches those of the window.
class WidgetsApart {
 public:
    WidgetsApart();
    ~WidgetsApart();
    WidgetsApart(const WidgetsApart&) = delete;
    WidgetsApart& operator=(const WidgetsApart&) = delete;
};

/// The focused widget gives the keyboard back; Tab goes on from it.
void leave_focus();
/// No widget has the keyboard: Tab begins with the first of all.
void forget_focus();
/// The keyboard stays with the widget although the mouse was pressed beside it: on its scroll bar.
void keep_focus(ImGuiID id);

/// The ring around a focused widget.
void draw_focus_ring(const Rect& rect, float rounding);
/// Diagonal strokes over a rectangle: there is no number here.
void draw_hatch(ImDrawList* list, const Rect& rect, ImU32 color);
/// The frame of a cell stands inside it, so that neighbours hide none of it.
void draw_frame(ImDrawList* list, const Rect& rect, ImU32 color, float thick);

/// For draw_glyphs(): whether somebody wants to know what is drawn, and what that is.
bool keeps_drawn_texts();
void note_drawn_text(std::string_view text, const Rect& rect, const Rect& clip);

/// A tooltip under the rectangle, now.
void show_tooltip(const Rect& under, std::string_view words);
/// The same after a moment of rest on the item.
void show_tooltip_when_due(const Item& item, ImGuiID id, std::string_view words);
/// A place that is no widget: scripts find the value under this id, and a tooltip, unless it is empty, is
/// shown over it.
void named_place(std::string_view id, const Rect& place, std::string_view value, std::string_view tip = {});
void request_redraw_within(double seconds);

/// A key without modifiers that acts on the focused widget.
bool plain_key_pressed(Key key, bool repeat = false);
/// Scrolls the panel that is drawn: Up and Down by lines, Home and End, by_pages also by pages.
void scroll_by_keys(bool by_pages);

ImU32 shown(ImU32 color);   ///< with the style's alpha: dimmed things stay dimmed
float baseline(Type type);  ///< from the top of a line of text
glm::vec2 cursor();         ///< where the next item begins, on a whole pixel
float content_width();      ///< from the cursor to the panel's right edge

}  // namespace gridstride::ui

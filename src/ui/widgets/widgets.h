// The program's own few widgets, drawn on ImGui's draw lists over ImGui's item and focus mechanism. Every
// widget has a stable id ("bench.workgroup_size", "story.next"), by which scripts find it; it is entered in
// the frame's widget map with its rectangle. All are reachable by Tab and work with Space, Enter and the
// arrow keys; keyboard focus is drawn as a ring.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/widgets/rect.h"
#include "ui/widgets/theme.h"

namespace gridstride::ui {

enum class Key;  // ui/widgets/imgui_compat.h

struct WidgetRect {
    std::string id;
    std::string kind;   ///< "button", "slider", "choice", "tab", "text", "panel", …
    std::string value;  ///< what it shows now: a slider's number, a button's label
    glm::vec2 min, max;
    bool visible = true;  ///< false: scrolled out of its panel; min and max are where it would be
    bool whole = true;    ///< nothing of it is cut off by its panel
};
/// The widgets that were drawn in the frame being built, in drawing order. Cleared by begin_widgets().
const std::vector<WidgetRect>& widget_map();
void begin_widgets();
void register_widget(std::string_view id, std::string_view kind, glm::vec2 min, glm::vec2 max,
                     std::string_view value = {});

/// The visible ones as a JSON array of {"id","kind","value","x","y","width","height"}: --ui-map.
std::string widget_map_json();

/// A piece of text as it was drawn.
struct DrawnText {
    std::string text;
    Rect rect;  ///< of its line
    Rect seen;  ///< what of that its panel does not cut off; of negative size: nothing
};
/// Those of the frame being built, for whoever looks at the window as a person does. They are kept only while
/// somebody wants them.
const std::vector<DrawnText>& drawn_texts();
void keep_drawn_texts(bool keep);
/// {"widgets":[…],"texts":[{"text","x","y","width","height","seen_width","seen_height"}]}: the widgets as in
/// widget_map_json(), and the texts of which something is seen.
std::string window_map_json();

/// Scrolls the widget's panel so that it can be seen, when it is next registered.
void reveal_widget(std::string_view id);

/// What a script sets on a slider, choice or number field by id; taken by the widget when it is next drawn.
void request_value(std::string_view id, std::string_view value);
/// For a widget that takes values itself (a text field): what was requested, once.
std::optional<std::string> take_requested_value(std::string_view id);
bool value_is_requested(std::string_view id);  ///< requested, and no widget has taken it yet

/// True when a widget, an open list or a text field uses this key now, so that it is no shortcut: the arrow
/// keys and Home and End of a focused slider, Escape of an open list, letters in a text field.
bool key_taken(Key key);
void focus_widget(std::string_view id);  ///< puts the keyboard focus there
bool has_keyboard(std::string_view id);  ///< it is there, and seen
/// Seconds after which the widgets want to be drawn again without input (a tooltip that is due, a progress
/// line that moves); infinity when they do not.
double widgets_redraw_within();
/// How long the last frame took to build and draw.
void note_frame_cost(double seconds);
/// The pace of what moves while the window waits for something: thirty frames a second, and where drawing
/// them would take more than a third of the time, as on a software driver, fewer: down to five.
double seconds_between_moving_frames();

enum class Emphasis { primary, normal, quiet };
struct ButtonOptions {
    Emphasis emphasis = Emphasis::normal;
    bool enabled = true;
    bool selected = false;
    bool small = false;              ///< in note size: beside a panel's title
    std::string_view shortcut = {};  ///< shown dimmer behind the label: "F5"
    std::string_view tooltip = {};
};
/// True when pressed. As wide as its label needs.
bool button(std::string_view id, std::string_view label, const ButtonOptions& options = {});
glm::vec2 button_size(std::string_view label, const ButtonOptions& options = {});

/// A rounded pill for the top bar. True when pressed.
bool chip(std::string_view id, std::string_view label, std::string_view tooltip = {});
glm::vec2 chip_size(std::string_view label);

/// Label at the left, the current option in a drop-down at the right, the full width of the panel; without a
/// label the drop-down has all of it.
/// True when *index changed. Options are found by scripts as "<id>.<label>" while the list is open.
struct Option {
    std::string label;
    std::string hint;  ///< second line in the list, and whole for a mouse that rests on it
};
bool choice(std::string_view id, std::string_view label, const std::vector<Option>& options,
            std::size_t* index, Type option_type = Type::mono);
/// What it needs to show this option without a label.
float choice_width(std::string_view option, Type option_type = Type::mono);

/// Some of the options in an order, each as often as wanted: pieces that are dragged, or moved with Ctrl and
/// the arrow keys, and taken out by their × or Delete; below them a button for each option, which adds it at
/// the end. They fill the panel's width, in as many rows as they need. True when *order changed, whose
/// numbers are places in options. ids: "<id>.<label>.<the how manieth of its kind>", with ".remove" its ×,
/// and
/// "<id>.add.<label>".
bool sequence(std::string_view id, const std::vector<Option>& options, std::vector<std::uint32_t>* order);
float sequence_height(const std::vector<Option>& options, const std::vector<std::uint32_t>& order,
                      float width);

/// Label and right-aligned value over a full-width track, as in look.png. `position` is 0 … 1 on the track;
/// while the user drags or presses arrow keys it changes (by 1/steps with the keys). A click on the value
/// edits it as text. Returns what happened.
struct SliderResult {
    bool moved = false;  ///< *position changed
    bool text_entered = false;
    std::string text;  ///< what was typed, to be parsed by the caller
};
SliderResult slider(std::string_view id, std::string_view label, std::string_view value_text,
                    std::string_view value_suffix, float* position, int steps, std::string_view tooltip = {});
/// Pixels that it needs to show its label whole beside such a value.
float slider_width(std::string_view label, std::string_view value_text, std::string_view value_suffix);

/// A line of text to type into, width pixels wide (0: the rest of the panel). True when Enter was pressed in
/// it.
struct FieldOptions {
    float width = 0;
    bool enabled = true;
    bool decimal = false;        ///< takes digits, a point and a sign only
    bool focus = false;          ///< takes the keyboard now
    std::string_view hint = {};  ///< stands there while it is empty
};
bool text_field(std::string_view id, std::string* value, const FieldOptions& options = {});

/// Some of a few, beside each other on one face: tabs, or a switch. In two or more rows where the width is
/// too small for one. True when *index changed. ids are "<id>.<option id>".
struct Tab {
    std::string id;
    std::string label;
};
bool tabs(std::string_view id, const std::vector<Tab>& options, std::size_t* index);
glm::vec2 tabs_size(const std::vector<Tab>& options, float width);
/// The lower right corner of the last tab, from where the tabs begin: they may take several rows.
glm::vec2 tabs_end(const std::vector<Tab>& options, float width);

/// A draggable line between panels. `vertical`: it moves sideways. *size changes by the drag, kept in
/// [minimum, maximum]. `direction` is +1 when the size grows to the right or downwards, else -1. Returns true
/// while dragged.
bool splitter(std::string_view id, bool vertical, glm::vec2 min, glm::vec2 max, float* size, float minimum,
              float maximum, float direction);

/// Text at the cursor in one style; the cursor moves on by the style's line.
void text(Type type, ImU32 color, std::string_view words);
/// The same, wrapped at width (0: to the panel's right edge).
void text_wrapped(Type type, ImU32 color, std::string_view text, float width = 0);
/// The same, and scripts find its words, or a value in their place, under this id.
void named_text(std::string_view id, Type type, ImU32 color, std::string_view words,
                std::string_view value = {}, float width = 0);
/// One line at this place, from its upper left, found by scripts as named_text() is.
void named_line(std::string_view id, Type type, glm::vec2 position, ImU32 color, std::string_view words,
                std::string_view value = {});
/// What is drawn while it lives, from the cursor to the panel's right edge: scripts find the value under this
/// id.
class NamedBlock {
 public:
    NamedBlock(std::string_view id, std::string_view value);
    ~NamedBlock();
    NamedBlock(const NamedBlock&) = delete;
    NamedBlock& operator=(const NamedBlock&) = delete;

 private:
    std::string id_, value_;
    glm::vec2 start_;
    float width_;
};
/// Of one line, or of several parted by \n. The height is the style's line height, in which the glyphs stand
/// centred.
glm::vec2 text_size(Type type, std::string_view words);
/// position is the upper left of that line.
void draw_text(ImDrawList* list, Type type, glm::vec2 position, ImU32 color, std::string_view words);
/// In a font of its own, wrapped at a width unless that is 0; position is the upper left of the glyphs. All
/// text of the window is drawn by this.
void draw_glyphs(ImDrawList* list, ImFont* font, glm::vec2 position, ImU32 color, std::string_view text,
                 float wrap = 0);
void draw_text_right(ImDrawList* list, Type type, glm::vec2 top_right, ImU32 color, std::string_view text);
/// Shortened with … to fit width.
std::string elide(Type type, std::string_view words, float width);
/// The first of these, the longest first, that is no wider; empty when none has room.
std::string longest_that_fits(Type type, const std::vector<std::string>& forms, float width);

void section_label(std::string_view words);  ///< small capitals-like heading: "MEASURED"
void gap(float design_pixels);               ///< vertical space
void separator();                            ///< a one-pixel line across the panel
void tooltip(std::string_view words);        ///< for the last item, when hovered

/// The background of a panel that lies on the window's ground. Each fill of the whole window costs a software
/// driver as much as all that is drawn on it.
inline constexpr ImU32 no_fill = 0;
/// A panel: a child window with padding and background. Between begin and end the cursor is inside the
/// padding.
void begin_panel(std::string_view id, glm::vec2 position, glm::vec2 size, ImU32 background,
                 bool scrolls = true, float padding = 16);
void end_panel();

/// A panel in the middle of the screen over a dimmed window. True while it is to stay: Escape closes it.
/// Between begin and end the cursor is inside its padding.
bool begin_dialog(std::string_view id, std::string_view title, glm::vec2 screen_min, glm::vec2 screen_max,
                  glm::vec2 size);
void end_dialog();

/// A place that a click reaches and that is drawn by whoever asks: ImGui::InvisibleButton(), at least a pixel
/// wide and high. ImGui ends the program where a side is 0, which a small window at a large scale leaves.
bool hit_area(const std::string& id, glm::vec2 size);

/// A progress line of 2 px at the cursor, width pixels wide (0: to the panel's right edge); fraction < 0:
/// indeterminate.
void progress_line(float fraction, float width = 0);

}  // namespace gridstride::ui

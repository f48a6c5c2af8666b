// The program's widgets, drawn on ImGui's draw lists with ImGui's item and focus mechanism. Every widget has
// a stable id ("bench.workgroup_size", "story.next") by which scripts find it, and is registered with its
// rectangle in the frame's widget map. All can be reached by Tab and used with Space, Enter and the arrow
// keys; the focused widget has a ring.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/language.h"
#include "ui/widgets/rect.h"
#include "ui/widgets/theme.h"

namespace gridstride::ui {

enum class Key;  // ui/widgets/imgui_compat.h

struct WidgetRect {
    std::string id;
    std::string kind;   ///< "button", "slider", "choice", "tab", "text", "panel", …
    std::string value;  ///< shown now: a slider's number, a button's label
    glm::vec2 min, max;
    bool is_visible = true;  ///< false: scrolled out of view; min and max are its unclipped corners
    bool is_whole = true;    ///< not clipped by its panel
};
/// Returns the widgets registered in the current frame, in drawing order. begin_widgets() clears them.
const std::vector<WidgetRect>& widget_map();
void begin_widgets();
void register_widget(std::string_view id, std::string_view kind, glm::vec2 min, glm::vec2 max,
                     std::string_view value = {});

/// Returns the visible widgets as a JSON array of {"id","kind","value","x","y","width","height","whole"}: the
/// output of --ui-map.
std::string widget_map_json();

/// A text drawn in the current frame.
struct DrawnText {
    std::string text;
    Rect rect;          ///< of the line
    Rect visible_area;  ///< the part that the panel does not clip; negative size: none
};
/// Returns the texts of the current frame, which are recorded only after record_drawn_texts(true).
const std::vector<DrawnText>& drawn_texts();
void record_drawn_texts(bool keep);
/// Returns {"widgets":[…],"texts":[{"text","x","y","width","height","seen_width","seen_height"}]}: the
/// widgets as in widget_map_json(), and the texts that are at least partly visible.
std::string window_map_json();

/// Scrolls the widget into view when it is next registered.
void reveal_widget(std::string_view id);

/// Requests that a slider, choice or text field takes this value when it is next drawn. Used by scripts.
void request_value(std::string_view id, std::string_view value);
/// Returns the value requested for the widget, and removes the request.
std::optional<std::string> take_requested_value(std::string_view id);
bool has_requested_value(std::string_view id);  ///< a request is pending

/// Returns true if a widget, an open list or a text field uses this key now, so that it must not act as a
/// shortcut: arrow keys, Home and End of a focused slider, Escape of an open list, letters in a text field.
bool is_key_used(Key key);
void focus_widget(std::string_view id);  ///< gives it the keyboard focus
bool has_keyboard(std::string_view id);  ///< it has the focus and shows the ring
/// Returns the seconds until the widgets need another frame without input (for a due tooltip or a moving
/// progress line); infinity if they need none.
double widgets_redraw_delay();
/// Sets the time that the last frame took to build and draw.
void set_frame_cost(double seconds);
/// Returns the pause between frames of an animation while the window waits: 1/30 s, or longer so that drawing
/// takes at most a fifth of the time, as with a software driver; at most 1/5 s.
double animation_frame_pause();

enum class Emphasis { primary, normal, quiet };
struct ButtonOptions {
    Emphasis emphasis = Emphasis::normal;
    bool is_enabled = true;
    bool is_selected = false;
    bool is_small = false;           ///< note size, for use beside a panel's title
    std::string_view shortcut = {};  ///< shown dimmed after the label: "F5"
    std::string_view tooltip = {};
};
/// Draws a button as wide as its label. Returns true if it was pressed.
bool button(std::string_view id, std::string_view label, const ButtonOptions& options = {});
glm::vec2 button_size(std::string_view label, const ButtonOptions& options = {});

/// Draws a box with a label. Returns true if *value changed.
bool checkbox(std::string_view id, std::string_view label, bool* value, bool is_enabled = true);

/// Draws a rounded button for the top bar. Returns true if it was pressed.
bool chip(std::string_view id, std::string_view label, std::string_view tooltip = {});
glm::vec2 chip_size(std::string_view label);

/// A drop-down list with its label at the left, as wide as the panel; without a label, the drop-down takes
/// the whole width. Returns true if *index changed. While the list is open, its options are registered as
/// "<id>.<label>".
struct Option {
    std::string label;
    std::string hint;  ///< second line in the list, and the tooltip of the closed list
};
bool choice(std::string_view id, std::string_view label, const std::vector<Option>& options,
            std::size_t* index, TextStyle option_type = TextStyle::mono);
/// Returns the width of a drop-down without a label that shows this option whole.
float choice_width(std::string_view option, TextStyle option_type = TextStyle::mono);

/// A sequence of options, in which each may occur several times. The user drags its pieces, or moves them
/// with Ctrl and the arrow keys, and removes them with × or Delete; the buttons below append options. Fills
/// the panel's width, in as many rows as needed. *order holds indices of options. Returns true if *order
/// changed. Ids: "<id>.<label>.<n>" for the n-th piece with this label, the same with ".remove" for its ×,
/// and "<id>.add.<label>".
bool sequence(std::string_view id, const std::vector<Option>& options, std::vector<std::uint32_t>* order);
float sequence_height(const std::vector<Option>& options, const std::vector<std::uint32_t>& order,
                      float width);

/// A label and a right-aligned value above a track of full width. `position`: 0 … 1 on the track; it changes
/// while the user drags, or by 1/steps with the arrow keys. A click on the value edits it as text.
struct SliderResult {
    bool has_moved = false;  ///< *position changed
    bool was_text_entered = false;
    std::string text;  ///< the typed text, which the caller parses
};
SliderResult slider(std::string_view id, std::string_view label, std::string_view value_text,
                    std::string_view value_suffix, float* position, int steps, std::string_view tooltip = {});
/// Returns the width in pixels of a slider that shows its whole label beside such a value.
float slider_width(std::string_view label, std::string_view value_text, std::string_view value_suffix);

/// A single-line text field, options.width pixels wide (0: the rest of the panel). Returns true if Enter was
/// pressed in it.
struct FieldOptions {
    float width = 0;
    bool is_enabled = true;
    bool decimal = false;        ///< accepts only digits, a point and a sign
    bool focus = false;          ///< takes the keyboard now
    std::string_view hint = {};  ///< shown while it is empty
};
bool text_field(std::string_view id, std::string* value, const FieldOptions& options = {});

/// Tabs beside each other, in as many rows as needed. Returns true if *index changed. Ids: "<id>.<option
/// id>".
struct Tab {
    std::string id;
    std::string label;
};
bool tabs(std::string_view id, const std::vector<Tab>& options, std::size_t* index);
glm::vec2 tabs_size(const std::vector<Tab>& options, float width);
/// Returns the lower right corner of the last tab, relative to the start of the first row.
glm::vec2 tabs_end(const std::vector<Tab>& options, float width);

/// A draggable line between panels. `is_vertical`: the line is vertical and moves sideways. The drag changes
/// *size within [minimum, maximum]. `direction`: +1 if the size grows to the right or downwards, else -1.
/// Returns true while dragged.
bool splitter(std::string_view id, bool is_vertical, glm::vec2 min, glm::vec2 max, float* size, float minimum,
              float maximum, float direction);

/// Draws text at the cursor and moves the cursor below it.
void text(TextStyle type, ImU32 color, std::string_view words);
/// Draws text wrapped at `width` pixels (0: to the panel's right edge).
void text_wrapped(TextStyle type, ImU32 color, std::string_view text, float width = 0);
/// Draws wrapped text, and registers it, or `value` if not empty, for scripts.
void named_text(std::string_view id, TextStyle type, ImU32 color, std::string_view words,
                std::string_view value = {}, float width = 0);
/// Draws one line at a position, its upper left corner, and registers it like named_text().
void named_line(std::string_view id, TextStyle type, glm::vec2 position, ImU32 color, std::string_view words,
                std::string_view value = {});
/// Registers everything drawn during its lifetime, from the cursor to the panel's right edge, with a value
/// for scripts.
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
/// Returns the size of one or several lines, separated by \n. The height of a line is that of the style, with
/// the glyphs centred in it.
glm::vec2 text_size(TextStyle type, std::string_view words);
/// `position`: the upper left corner of the line.
void draw_text(ImDrawList* list, TextStyle type, glm::vec2 position, ImU32 color, std::string_view words);
/// Draws text in any font, wrapped at `wrap` pixels unless 0. `position`: the upper left corner of the
/// glyphs. All text of the window is drawn by this function.
void draw_glyphs(ImDrawList* list, ImFont* font, glm::vec2 position, ImU32 color, std::string_view text,
                 float wrap = 0);
void draw_text_right(ImDrawList* list, TextStyle type, glm::vec2 top_right, ImU32 color,
                     std::string_view text);
/// Returns the text, shortened with … to fit `width`.
std::string elide(TextStyle type, std::string_view words, float width);
/// Shortens at the front: the end of a long path says more than its beginning.
std::string elide_front(TextStyle type, std::string text, float width);
/// Returns the first form that fits; empty if none fits. Forms must be ordered from long to short.
std::string longest_fitting_text(TextStyle type, const std::vector<std::string>& forms, float width);

void section_label(std::string_view words);  ///< heading in capitals: "MEASURED"
void gap(float design_pixels);               ///< vertical space
void separator();                            ///< a one-pixel line across the panel
void tooltip(std::string_view words);        ///< of the last item, while hovered

/// No background, for a panel on the window's ground. With a software driver, each fill of the whole window
/// costs as much as everything drawn on it.
inline constexpr ImU32 no_fill = 0;
/// A child window with padding and background. Between begin and end, the cursor is inside the padding. A
/// scroll bar lies in the right padding.
void begin_panel(std::string_view id, glm::vec2 position, glm::vec2 size, ImU32 background,
                 bool scrolls = true, float padding = 16);
void end_panel();

/// A panel in the middle of the screen over the dimmed window. Returns false when Escape is pressed: the
/// dialog is to be closed. Between begin and end, the cursor is inside its padding.
bool begin_dialog(std::string_view id, std::string_view title, glm::vec2 screen_min, glm::vec2 screen_max,
                  glm::vec2 size);
void end_dialog();
/// Stores a height that was measured in this frame, and requests another frame if it changed.
void update_height(float& height, float new_height);

/// An invisible button, at least one pixel wide and high; the caller draws it. ImGui::InvisibleButton()
/// aborts if a side is 0, which happens in a small window at a large scale.
bool hit_area(const std::string& id, glm::vec2 size);

/// Draws a progress line, 2 px high and `width` pixels wide (0: to the panel's right edge). fraction < 0:
/// indeterminate.
void progress_line(float fraction, float width = 0);

}  // namespace gridstride::ui

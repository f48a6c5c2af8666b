// The palette, the type scale and the spacing unit. Every colour has a meaning; widgets ask for the meaning.
#pragma once

#include <imgui.h>

#include <array>
#include <string>
#include <string_view>

#include "lesson/plot.h"
#include "ui/widgets/fonts.h"
#include "ui/widgets/imgui_compat.h"

namespace gridstride::ui {

enum class Mode { dark, light };

/// The type scale: Inter, Inter semi-bold, and JetBrains Mono for code and for numbers in columns.
enum class TextStyle {
    body,         ///< Inter 15
    body_strong,  ///< Inter semi-bold 15
    note,         ///< Inter 13
    note_strong,  ///< Inter semi-bold 13: section labels in capitals, table heads
    panel_title,  ///< Inter semi-bold 18
    step_title,   ///< Inter semi-bold 24
    mono,         ///< JetBrains Mono 13
};

struct Palette {
    ImU32 ground, panel, raised, line, text, quiet;
    ImU32 action, action_text;
    ImU32 upload, kernel, download, wait, cpu, right, wrong, caution;
    ImU32 right_text, wrong_text, link;  ///< right, wrong and action as text colours
    /// Okabe and Ito's order. Like upload … caution, any two differ also for colour-blind readers.
    ImU32 series[8];
};

/// The colours, fonts and sizes for drawing; one per window. Sizes are in screen pixels at the current scale.
class Theme {
 public:
    /// Loads fonts through fontconfig (Inter and JetBrains Mono, else DejaVu, else ImGui's own) into the
    /// current ImGui context and sets its style. `scale`: 1 is 100 %, clamped to [0.5, 4]. To change it,
    /// construct another Theme between frames.
    Theme(Mode mode, float scale, FontSource source = FontSource::installed);

    Mode mode() const { return mode_; }
    float scale() const { return scale_; }
    const Palette& palette() const { return palette_; }
    ImFont* font(TextStyle type) const { return fonts_[static_cast<std::size_t>(type)]; }
    float font_size(TextStyle type) const { return ui::font_size(*font(type)); }
    /// Returns the text as the type's font can draw it: unchanged, or stored in `room` with replacements for
    /// characters that the font lacks. Every text must pass through it before it is measured or drawn.
    std::string_view drawable_text(TextStyle type, std::string_view text, std::string& room) const;
    float line_height(TextStyle type) const;  ///< 22 design pixels for body
    /// If true, nothing moves by itself: a plot shows its new range at once, a progress line stands still.
    bool reduces_motion() const { return reduces_motion_; }
    void set_reduces_motion(bool reduces) { reduces_motion_ = reduces; }
    float px(float design_pixels) const {
        return design_pixels * scale_;
    }  ///< design sizes are multiples of 4

    ImU32 color(ColorRole color_role) const;  ///< ColorRole::series: the first series colour
    ImU32 series_color(std::size_t index) const { return palette_.series[index % 8]; }
    /// Returns the text colour with the best contrast on a fill.
    ImU32 text_on(ImU32 fill) const;
    /// Mixes the colour with the text colour until its contrast on `ground` is at least 4.5 : 1.
    ImU32 readable_on(ImU32 color, ImU32 ground) const;
    /// Returns the colour adjusted to be readable as text on every background.
    ImU32 text_color(ImU32 color) const;
    ImU32 text_color(ColorRole color_role) const { return text_color(color(color_role)); }

 private:
    Mode mode_;
    float scale_;
    bool reduces_motion_ = false;
    Palette palette_;
    std::array<ImFont*, 7> fonts_{};
    std::array<bool, 7> lacks_characters_{};
};

/// Returns the theme of the current frame. Throws std::logic_error if set_theme() was not called.
const Theme& theme();
void set_theme(const Theme* current);

ImU32 with_alpha(ImU32 color, float alpha);  ///< replaces the alpha; 0 … 1
ImU32 mix(ImU32 a, ImU32 b, float t);        ///< t = 0: a; t = 1: b
ImU32 viridis(float t);                      ///< t: 0 … 1
float contrast_ratio(ImU32 a, ImU32 b);      ///< 1 … 21, WCAG 2.1; ignores alpha

}  // namespace gridstride::ui

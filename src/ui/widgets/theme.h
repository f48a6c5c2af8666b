// One palette, one type scale, one spacing unit: every colour has a meaning; widgets ask for the meaning.
#pragma once

#include <imgui.h>

#include <array>
#include <string>
#include <string_view>

#include "lesson/plot.h"
#include "ui/widgets/fonts.h"

namespace gridstride::ui {

enum class Mode { dark, light };

/// The type scale: Inter, its semi-bold face, and JetBrains Mono for code and for numbers that are compared.
enum class Type {
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
    ImU32 right_text, wrong_text, link;  ///< right, wrong and action as words on a ground
    ImU32 series[8];                     ///< Okabe and Ito's order
};

/// Everything that drawing needs to know; one per window. Sizes in it are in screen pixels at the current
/// scale.
class Theme {
 public:
    /// Loads fonts through fontconfig (Inter and JetBrains Mono, else DejaVu, else ImGui's own) into the
    /// current ImGui context and sets its style. scale 1 = 100 %. Rebuild by making a new one between frames.
    Theme(Mode mode, float scale, FontSource source = FontSource::installed);

    Mode mode() const { return mode_; }
    float scale() const { return scale_; }
    const Palette& palette() const { return palette_; }
    ImFont* font(Type type) const { return fonts_[static_cast<std::size_t>(type)]; }
    /// The text as the type's font can write it: itself, or in `room` with words for marks that the font
    /// lacks. All that is measured or drawn goes through here.
    std::string_view written(Type type, std::string_view text, std::string& room) const;
    float line_height(Type type) const;  ///< 22 for body, in proportion for the rest
    float px(float design_pixels) const { return design_pixels * scale_; }  ///< multiples of 4 in the design

    ImU32 color(Ink ink) const;  ///< Ink::series is the first of the series' palette
    ImU32 series_color(std::size_t index) const { return palette_.series[index % 8]; }
    /// The text colour that reads best on a fill of this colour.
    ImU32 text_on(ImU32 fill) const;
    /// The colour, as far towards text as it takes to be read on this ground: 4.5 to 1.
    ImU32 readable_on(ImU32 color, ImU32 ground) const;
    /// A meaning's colour made readable as text on every ground. For words in a colour, such as a verdict.
    ImU32 as_text(ImU32 color) const;
    ImU32 as_text(Ink ink) const { return as_text(color(ink)); }

 private:
    Mode mode_;
    float scale_;
    Palette palette_;
    std::array<ImFont*, 7> fonts_{};
    std::array<bool, 7> lacks_marks_{};
};

/// The theme of the frame being built. Set once a frame by the desktop.
const Theme& theme();
void set_theme(const Theme* current);

ImU32 with_alpha(ImU32 color, float alpha);  ///< alpha 0 … 1 replaces the colour's own
ImU32 mix(ImU32 a, ImU32 b, float t);        ///< t = 0: a; 1: b
ImU32 viridis(float t);                      ///< 0 … 1
float contrast_ratio(ImU32 a, ImU32 b);      ///< 1 … 21, WCAG 2.1; alpha is not looked at

}  // namespace gridstride::ui

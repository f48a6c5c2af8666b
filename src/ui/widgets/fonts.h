// Finds the fonts of the type scale and builds them into ImGui's atlas.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

struct ImFont;

namespace gridstride::ui {

enum class FontSource { installed, imgui };

/// Replaces all fonts of the current ImGui context and returns them in the order of enum Type. Must be called
/// between frames. Missing faces are replaced by DejaVu, and that by ImGui's built-in font, the only one for
/// FontSource::imgui. Does not fail.
std::array<ImFont*, 7> load_fonts(float scale, FontSource source = FontSource::installed);

/// Returns true if the font lacks a character that replace_missing_characters() replaces.
bool lacks_characters(const ImFont& font);
/// Returns the text with characters that the font lacks replaced by ASCII: "[ok]" for ✓, ">=" for ≥.
std::string replace_missing_characters(const ImFont& font, std::string_view text);

/// Paths in order of preference: a glyph comes from the first file that has it. Empty: ImGui's built-in font
/// is used.
struct FontFiles {
    std::vector<std::string> text;
    std::vector<std::string> mono;
    bool has_preferred_text = false;  ///< Inter
    bool has_preferred_mono = false;  ///< JetBrains Mono
};
/// Returns the font files that the window uses. Does not require a window.
FontFiles installed_font_files();

}  // namespace gridstride::ui

// Finds the faces of the type scale and builds them into ImGui's atlas.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

struct ImFont;

namespace gridstride::ui {

enum class FontSource { installed, imgui };

/// Replaces all fonts of the current ImGui context; returns them in the order of enum Type. Between frames
/// only. Falls back rather than fail: DejaVu for missing faces, then the font inside ImGui, which is all
/// there is of FontSource::imgui.
std::array<ImFont*, 7> load_fonts(float scale, FontSource source = FontSource::installed);

/// There is a mark that write_with() would replace.
bool lacks_marks(const ImFont& font);
/// The text with words or ASCII for each mark that the font lacks: "ok" for ✓, ">=" for ≥.
std::string write_with(const ImFont& font, std::string_view text);

/// Paths, first choice first: a glyph comes from the first that has it. Empty: ImGui's own font is used.
struct FontFiles {
    std::vector<std::string> text;
    std::vector<std::string> mono;
    bool has_wanted_text = false;  ///< Inter
    bool has_wanted_mono = false;  ///< JetBrains Mono
};
/// Which font files the window would be drawn with; needs no window.
FontFiles installed_font_files();

}  // namespace gridstride::ui

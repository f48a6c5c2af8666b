// Which font files the window would be drawn with, without opening one. See ui/fonts.h for what is done with
// them.
#pragma once

#include <string>
#include <vector>

namespace gridstride::ui {

/// Paths, first choice first: a glyph comes from the first that has it. Empty: ImGui's own font is used.
struct FontFiles {
    std::vector<std::string> text;
    std::vector<std::string> mono;
    bool has_wanted_text = false;  ///< Inter
    bool has_wanted_mono = false;  ///< JetBrains Mono
};

FontFiles installed_font_files();

}  // namespace gridstride::ui

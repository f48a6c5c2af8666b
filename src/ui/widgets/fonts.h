// Finds the faces of the type scale and builds them into ImGui's atlas.
#pragma once

#include <imgui.h>

#include <array>
#include <string>

namespace gridstride::ui {

struct LoadedFonts {
    std::array<ImFont*, 7> by_type{};  ///< in the order of enum Type
    std::array<float, 7> em{};         ///< the size in pixels that a designer would name: 15, 13 …
    std::string report;                ///< "Inter-Regular.otf, Inter-SemiBold.otf, …"
};

/// Replaces all fonts of the current ImGui context. Between frames only. Falls back, and says so in the
/// report, rather than fail: DejaVu for missing faces, then the font inside ImGui.
LoadedFonts load_fonts(float scale);

}  // namespace gridstride::ui

// Finds the faces of the type scale and builds them into ImGui's atlas.
#pragma once

#include <imgui.h>

#include <array>

namespace gridstride::ui {

/// Replaces all fonts of the current ImGui context; returns them in the order of enum Type. Between frames
/// only. Falls back rather than fail: DejaVu for missing faces, then the font inside ImGui.
std::array<ImFont*, 7> load_fonts(float scale);

}  // namespace gridstride::ui

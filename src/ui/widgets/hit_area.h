// A place that a click reaches and that is drawn by whoever asks.
#pragma once

#include <imgui.h>

#include <string>

namespace gridstride::ui {

/// ImGui::InvisibleButton(), at least a pixel wide and high: ImGui ends the program where a side is 0, which
/// a small window at a large scale leaves.
bool hit_area(const std::string& id, glm::vec2 size);

}  // namespace gridstride::ui

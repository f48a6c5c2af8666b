// What every dialog stands in.
#pragma once

#include <imgui.h>

#include <string_view>

namespace gridstride::ui {

/// A panel in the middle of the screen over a dimmed window. True while it is to stay: Escape closes it.
/// Between begin and end the cursor is inside its padding.
bool begin_dialog(std::string_view id, std::string_view title, glm::vec2 screen_min, glm::vec2 screen_max,
                  glm::vec2 size);
void end_dialog();

}  // namespace gridstride::ui

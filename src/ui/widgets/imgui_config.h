// Dear ImGui's configuration, set by IMGUI_USER_CONFIG: converts between ImVec2 and glm::vec2, so that the UI
// can calculate with glm.
#pragma once

#include <glm/vec2.hpp>

#define IM_VEC2_CLASS_EXTRA                                  \
    constexpr ImVec2(const glm::vec2& v) : x(v.x), y(v.y) {} \
    constexpr operator glm::vec2() const {                   \
        return {x, y};                                       \
    }

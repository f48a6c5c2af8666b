// What Dear ImGui's headers are told through IMGUI_USER_CONFIG: its points and glm's convert into one
// another, so that this room adds and scales points with glm.
#pragma once

#include <glm/vec2.hpp>

#define IM_VEC2_CLASS_EXTRA                                  \
    constexpr ImVec2(const glm::vec2& v) : x(v.x), y(v.y) {} \
    constexpr operator glm::vec2() const {                   \
        return {x, y};                                       \
    }

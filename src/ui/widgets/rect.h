#pragma once

#include <cmath>
#include <glm/common.hpp>
#include <glm/vec2.hpp>

namespace gridstride::ui {

/// A rectangle on the screen, in pixels; y runs down. Excludes `max`.
struct Rect {
    glm::vec2 min, max;

    float width() const { return max.x - min.x; }
    float height() const { return max.y - min.y; }
    glm::vec2 size() const { return max - min; }
    glm::vec2 centre() const { return (min + max) * 0.5F; }
    /// Returns the y at which something of this height is centred vertically: a whole pixel.
    float centred_top(float height) const { return std::floor((min.y + max.y - height) / 2); }
    bool contains(glm::vec2 point) const {
        return point.x >= min.x && point.y >= min.y && point.x < max.x && point.y < max.y;
    }
    bool contains(const Rect& other) const {
        return other.min.x >= min.x && other.min.y >= min.y && other.max.x <= max.x && other.max.y <= max.y;
    }
    /// Grows the rectangle on every side; negative values shrink it.
    Rect expanded(glm::vec2 by) const { return {min - by, max + by}; }
    /// Returns the intersection; its size is negative if there is none.
    Rect clipped_to(const Rect& other) const { return {glm::max(min, other.min), glm::min(max, other.max)}; }
};

}  // namespace gridstride::ui

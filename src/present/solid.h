// Equal boxes beside, above and behind one another, turned in space and seen from afar: where their faces lie
// on the screen, in what order they are drawn, and which of them a point meets.
#pragma once

#include <array>
#include <cstdint>
#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <optional>
#include <vector>

namespace gridstride {

/// x runs to the right, y down and z away from who looks.
struct Solid {
    glm::uvec3 boxes{1};      ///< along each
    std::uint32_t count = 1;  ///< those that are there: the first, numbered with x fastest, then y
    glm::vec3 box_size{1};

    glm::uvec3 place_of(std::uint32_t box) const {
        return {box % boxes.x, box / boxes.x % boxes.y, box / boxes.x / boxes.y};
    }
    glm::vec3 size() const { return glm::vec3(boxes) * box_size; }
};

/// Radians. At 0 one looks along z.
struct Turn {
    float around_y = 0, around_x = 0;

    void by(glm::vec2 angles);  ///< never upside down
    bool operator==(const Turn&) const = default;
};

/// From the solid to the screen without perspective, its z to the depth: as large as has room between these
/// corners, but no box wider or higher than most. Pixels.
glm::mat4 seen_from(const Solid& solid, const Turn& turn, glm::vec2 min, glm::vec2 max, float most);
glm::vec2 on_screen(const glm::mat4& view, const glm::vec3& point);

/// A side of a box that can be seen, without the slit that parts it from its neighbours.
struct Face {
    std::array<glm::vec2, 4> corners;  ///< clockwise on the screen
    std::uint32_t box = 0;
    unsigned across = 0;  ///< the dimension that it looks along: 0 to 2

    bool contains(glm::vec2 point) const;
};
/// Those that no other box hides for good, the furthest first.
std::vector<Face> seen_faces(const Solid& solid, const glm::mat4& view);
/// The foremost there.
std::optional<Face> face_at(const std::vector<Face>& faces, glm::vec2 point);

}  // namespace gridstride

// A three-dimensional array of equal boxes in orthographic projection: visible faces and hit tests.
#pragma once

#include <array>
#include <cstdint>
#include <glm/mat4x4.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <optional>
#include <vector>

namespace gridstride {

/// x points right, y down and z away from the viewer.
struct BoxArray {
    glm::uvec3 boxes{1};      ///< number of boxes along each axis
    std::uint32_t count = 1;  ///< only the first `count` boxes exist, numbered with x fastest, then y
    glm::vec3 box_size{1};

    glm::uvec3 position_of(std::uint32_t box) const {
        return {box % boxes.x, box / boxes.x % boxes.y, box / boxes.x / boxes.y};
    }
    glm::vec3 size() const { return glm::vec3(boxes) * box_size; }
};

/// A rotation in radians. At 0 the viewer looks along z.
struct ViewRotation {
    float around_y = 0, around_x = 0;

    void rotate(glm::vec2 angles);  ///< rotates further, but never upside down
    bool operator==(const ViewRotation&) const = default;
};

/// Returns the transform from the solid to the screen, without perspective; z becomes the depth. The solid is
/// as large as fits between the corners `min` and `max`, but no box is wider or higher than `max_box_size`.
/// Pixels.
glm::mat4 fit_view(const BoxArray& solid, const ViewRotation& turn, glm::vec2 min, glm::vec2 max,
                   float max_box_size);
glm::vec2 to_screen(const glm::mat4& view, const glm::vec3& point);

/// A visible side of a box, without the gap between it and its neighbours.
struct Face {
    std::array<glm::vec2, 4> corners;  ///< clockwise on the screen
    std::uint32_t box = 0;
    unsigned normal_axis = 0;  ///< the dimension of its normal: 0 to 2

    bool contains(glm::vec2 point) const;
};
/// Returns the faces towards the viewer that no adjacent box covers, in painter's order (furthest first).
std::vector<Face> visible_faces(const BoxArray& solid, const glm::mat4& view);
/// Returns the foremost face at the point; nullopt if there is none.
std::optional<Face> face_at(const std::vector<Face>& faces, glm::vec2 point);

}  // namespace gridstride

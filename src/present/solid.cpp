#include "present/solid.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/ext/matrix_transform.hpp>
#include <glm/ext/scalar_constants.hpp>
#include <limits>
#include <ranges>

namespace gridstride {

namespace {

// The gap at each edge of a face, as a fraction of the box.
constexpr float slit = 0.05F;
// Faces whose normal has a smaller cosine to the line of sight are edge-on and not drawn.
constexpr float edge_on = 1e-4F;

float cross(glm::vec2 a, glm::vec2 b) {
    return a.x * b.y - a.y * b.x;
}

/// Returns the visible side of a box along each dimension: its end (1), its beginning (-1), or none (0).
glm::ivec3 seen_sides(const glm::mat4& view) {
    glm::ivec3 sides{0};
    for (int dimension = 0; dimension < 3; ++dimension) {
        const float deeper = view[dimension].z / glm::length(glm::vec3(view[dimension]));
        if (std::abs(deeper) > edge_on) sides[dimension] = deeper < 0 ? 1 : -1;
    }
    return sides;
}

std::uint32_t box_at(const Solid& solid, const glm::uvec3& place) {
    return place.x + solid.boxes.x * (place.y + solid.boxes.y * place.z);
}

bool is_there(const Solid& solid, const glm::ivec3& place) {
    for (int dimension = 0; dimension < 3; ++dimension)
        if (place[dimension] < 0 || place[dimension] >= static_cast<int>(solid.boxes[dimension]))
            return false;
    return box_at(solid, glm::uvec3(place)) < solid.count;
}

Face face_of(const Solid& solid, const glm::mat4& view, const glm::uvec3& place, int across, int side) {
    const int a = (across + 1) % 3, b = (across + 2) % 3;
    Face face;
    face.box = box_at(solid, place);
    face.across = static_cast<unsigned>(across);
    constexpr float near = slit, far = 1 - slit;
    constexpr std::array<glm::vec2, 4> around = {{{near, near}, {far, near}, {far, far}, {near, far}}};
    for (std::size_t i = 0; i < around.size(); ++i) {
        glm::vec3 corner(place);
        corner[across] += side > 0 ? 1.0F : 0.0F;
        corner[a] += around[i].x;
        corner[b] += around[i].y;
        face.corners[i] = on_screen(view, corner * solid.box_size);
    }
    const auto& c = face.corners;
    if (cross(c[1] - c[0], c[2] - c[0]) < 0) std::swap(face.corners[1], face.corners[3]);
    return face;
}

}  // namespace

void Turn::by(glm::vec2 angles) {
    constexpr float steepest = glm::pi<float>() * 0.47F;
    around_y = std::remainder(around_y + angles.x, 2 * glm::pi<float>());
    around_x = std::clamp(around_x + angles.y, -steepest, steepest);
}

glm::mat4 seen_from(const Solid& solid, const Turn& turn, glm::vec2 min, glm::vec2 max, float most) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    glm::mat4 turned = glm::rotate(glm::mat4(1), turn.around_x, glm::vec3(1, 0, 0));
    turned = glm::rotate(turned, turn.around_y, glm::vec3(0, 1, 0));
    turned = glm::translate(turned, -0.5F * solid.size());
    glm::vec2 low(infinity), high(-infinity);
    for (unsigned corner = 0; corner < 8; ++corner) {
        const glm::vec3 end(corner & 1U, corner >> 1U & 1U, corner >> 2U);
        const glm::vec2 at = on_screen(turned, end * solid.size());
        low = glm::min(low, at);
        high = glm::max(high, at);
    }
    const glm::vec2 room = (max - min) / (high - low);
    const float largest = std::max(solid.box_size.x, solid.box_size.y);
    const float scale = std::min({room.x, room.y, most / largest});
    const glm::mat4 placed = glm::translate(glm::mat4(1), glm::vec3((min + max) * 0.5F, 0));
    return glm::scale(placed, glm::vec3(scale)) * turned;
}

glm::vec2 on_screen(const glm::mat4& view, const glm::vec3& point) {
    return view * glm::vec4(point, 1);
}

bool Face::contains(glm::vec2 point) const {
    for (std::size_t i = 0; i < corners.size(); ++i)
        if (cross(corners[(i + 1) % corners.size()] - corners[i], point - corners[i]) < 0) return false;
    return true;
}

std::vector<Face> seen_faces(const Solid& solid, const glm::mat4& view) {
    const glm::ivec3 sides = seen_sides(view);
    std::vector<Face> faces;
    // Painter's order: each dimension is traversed towards its visible side.
    const auto from_the_far_end = [&](int dimension, std::uint32_t step) {
        return sides[dimension] < 0 ? solid.boxes[dimension] - 1 - step : step;
    };
    for (std::uint32_t k = 0; k < solid.boxes.z; ++k) {
        for (std::uint32_t j = 0; j < solid.boxes.y; ++j) {
            for (std::uint32_t i = 0; i < solid.boxes.x; ++i) {
                const glm::uvec3 place(from_the_far_end(0, i), from_the_far_end(1, j),
                                       from_the_far_end(2, k));
                if (!is_there(solid, place)) continue;
                for (int across = 0; across < 3; ++across) {
                    glm::ivec3 neighbour(place);
                    neighbour[across] += sides[across];
                    if (sides[across] != 0 && !is_there(solid, neighbour))
                        faces.push_back(face_of(solid, view, place, across, sides[across]));
                }
            }
        }
    }
    return faces;
}

std::optional<Face> face_at(const std::vector<Face>& faces, glm::vec2 point) {
    const auto foremost = std::ranges::find_if(std::views::reverse(faces),
                                               [&](const Face& face) { return face.contains(point); });
    if (foremost == faces.rend()) return std::nullopt;
    return *foremost;
}

}  // namespace gridstride

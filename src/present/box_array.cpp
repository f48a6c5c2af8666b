#include "present/box_array.h"

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
constexpr float face_gap = 0.05F;
// Faces whose normal has a smaller cosine to the line of sight are edge-on and not drawn.
constexpr float min_facing_cosine = 1e-4F;

float cross(glm::vec2 a, glm::vec2 b) {
    return a.x * b.y - a.y * b.x;
}

/// Returns the visible side of a box along each dimension: its end (1), its beginning (-1), or none (0).
glm::ivec3 visible_sides(const glm::mat4& view) {
    glm::ivec3 sides{0};
    for (int dimension = 0; dimension < 3; ++dimension) {
        const float deeper = view[dimension].z / glm::length(glm::vec3(view[dimension]));
        if (std::abs(deeper) > min_facing_cosine) sides[dimension] = deeper < 0 ? 1 : -1;
    }
    return sides;
}

std::uint32_t box_index(const BoxArray& solid, const glm::uvec3& place) {
    return place.x + solid.boxes.x * (place.y + solid.boxes.y * place.z);
}

bool has_box(const BoxArray& solid, const glm::ivec3& place) {
    for (int dimension = 0; dimension < 3; ++dimension)
        if (place[dimension] < 0 || place[dimension] >= static_cast<int>(solid.boxes[dimension]))
            return false;
    return box_index(solid, glm::uvec3(place)) < solid.count;
}

Face make_face(const BoxArray& solid, const glm::mat4& view, const glm::uvec3& place, int normal_axis,
               int side) {
    const int a = (normal_axis + 1) % 3, b = (normal_axis + 2) % 3;
    Face face;
    face.box = box_index(solid, place);
    face.normal_axis = static_cast<unsigned>(normal_axis);
    constexpr float near = face_gap, far = 1 - face_gap;
    constexpr std::array<glm::vec2, 4> around = {{{near, near}, {far, near}, {far, far}, {near, far}}};
    for (std::size_t i = 0; i < around.size(); ++i) {
        glm::vec3 corner(place);
        corner[normal_axis] += side > 0 ? 1.0F : 0.0F;
        corner[a] += around[i].x;
        corner[b] += around[i].y;
        face.corners[i] = to_screen(view, corner * solid.box_size);
    }
    const auto& c = face.corners;
    if (cross(c[1] - c[0], c[2] - c[0]) < 0) std::swap(face.corners[1], face.corners[3]);
    return face;
}

}  // namespace

void ViewRotation::rotate(glm::vec2 angles) {
    constexpr float steepest = glm::pi<float>() * 0.47F;
    around_y = std::remainder(around_y + angles.x, 2 * glm::pi<float>());
    around_x = std::clamp(around_x + angles.y, -steepest, steepest);
}

glm::mat4 fit_view(const BoxArray& solid, const ViewRotation& turn, glm::vec2 min, glm::vec2 max,
                   float max_box_size) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    glm::mat4 rotation = glm::rotate(glm::mat4(1), turn.around_x, glm::vec3(1, 0, 0));
    rotation = glm::rotate(rotation, turn.around_y, glm::vec3(0, 1, 0));
    rotation = glm::translate(rotation, -0.5F * solid.size());
    glm::vec2 low(infinity), high(-infinity);
    for (unsigned corner = 0; corner < 8; ++corner) {
        const glm::vec3 end(corner & 1U, corner >> 1U & 1U, corner >> 2U);
        const glm::vec2 at = to_screen(rotation, end * solid.size());
        low = glm::min(low, at);
        high = glm::max(high, at);
    }
    const glm::vec2 room = (max - min) / (high - low);
    const float largest = std::max(solid.box_size.x, solid.box_size.y);
    const float scale = std::min({room.x, room.y, max_box_size / largest});
    const glm::mat4 placement = glm::translate(glm::mat4(1), glm::vec3((min + max) * 0.5F, 0));
    return glm::scale(placement, glm::vec3(scale)) * rotation;
}

glm::vec2 to_screen(const glm::mat4& view, const glm::vec3& point) {
    return view * glm::vec4(point, 1);
}

bool Face::contains(glm::vec2 point) const {
    for (std::size_t i = 0; i < corners.size(); ++i)
        if (cross(corners[(i + 1) % corners.size()] - corners[i], point - corners[i]) < 0) return false;
    return true;
}

std::vector<Face> visible_faces(const BoxArray& solid, const glm::mat4& view) {
    const glm::ivec3 sides = visible_sides(view);
    std::vector<Face> faces;
    // Painter's order: each dimension is traversed towards its visible side.
    const auto back_to_front = [&](int dimension, std::uint32_t step) {
        return sides[dimension] < 0 ? solid.boxes[dimension] - 1 - step : step;
    };
    for (std::uint32_t k = 0; k < solid.boxes.z; ++k) {
        for (std::uint32_t j = 0; j < solid.boxes.y; ++j) {
            for (std::uint32_t i = 0; i < solid.boxes.x; ++i) {
                const glm::uvec3 place(back_to_front(0, i), back_to_front(1, j), back_to_front(2, k));
                if (!has_box(solid, place)) continue;
                for (int normal_axis = 0; normal_axis < 3; ++normal_axis) {
                    glm::ivec3 neighbour(place);
                    neighbour[normal_axis] += sides[normal_axis];
                    if (sides[normal_axis] != 0 && !has_box(solid, neighbour))
                        faces.push_back(make_face(solid, view, place, normal_axis, sides[normal_axis]));
                }
            }
        }
    }
    return faces;
}

std::optional<Face> face_at(const std::vector<Face>& faces, glm::vec2 point) {
    const auto front_face = std::ranges::find_if(std::views::reverse(faces),
                                                 [&](const Face& face) { return face.contains(point); });
    if (front_face == faces.rend()) return std::nullopt;
    return *front_face;
}

}  // namespace gridstride

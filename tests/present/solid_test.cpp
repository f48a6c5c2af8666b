#include "present/box_array.h"

#include <glm/gtc/constants.hpp>

#include "test_includes.h"

namespace gridstride::solid_test {

using ::testing::UnorderedElementsAre;

constexpr glm::vec2 low{0, 0}, high{400, 300};
constexpr float huge = 1e6F;
constexpr float quarter = glm::half_pi<float>();

BoxArray make_solid(glm::uvec3 boxes) {
    return {.boxes = boxes, .count = boxes.x * boxes.y * boxes.z};
}

void expect_near(glm::vec2 found, glm::vec2 expected) {
    EXPECT_NEAR(found.x, expected.x, 1e-2);
    EXPECT_NEAR(found.y, expected.y, 1e-2);
}

TEST(BoxArray, ItsCornersFormARectangleFromTheFront) {
    // 4 x 2 boxes in 400 x 300 pixels: 100 pixels per box, and 50 remain above and below.
    const glm::mat4 view = fit_view(make_solid({4, 2, 3}), {}, low, high, huge);
    expect_near(to_screen(view, {0, 0, 0}), {0, 50});
    expect_near(to_screen(view, {4, 2, 0}), {400, 250});
    expect_near(to_screen(view, {4, 0, 3}), {400, 50});
}

TEST(BoxArray, AQuarterTurnShowsItsSide) {
    // After this turn about y the right end is in front, and the back is at the right.
    const glm::mat4 view = fit_view(make_solid({4, 2, 3}), {.around_y = quarter}, low, high, huge);
    // 3 boxes wide and 2 high: 133.3 pixels per box.
    expect_near(to_screen(view, {4, 0, 0}), {0, 150 - 400.0F / 3});
    expect_near(to_screen(view, {4, 2, 3}), {400, 150 + 400.0F / 3});
    const std::vector<Face> faces = visible_faces(make_solid({4, 2, 3}), view);
    std::set<std::uint32_t> visible_boxes;
    for (const Face& face : faces) {
        EXPECT_EQ(face.normal_axis, 0U);
        visible_boxes.insert(face.box);
    }
    // These are the last boxes of each row, x = 3.
    EXPECT_THAT(visible_boxes, UnorderedElementsAre(3, 7, 11, 15, 19, 23));
}

TEST(BoxArray, LimitsTheSizeOfABox) {
    const glm::mat4 view = fit_view(make_solid({1, 1, 1}), {}, low, high, 60);
    expect_near(to_screen(view, {0, 0, 0}), {170, 120});
    expect_near(to_screen(view, {1, 1, 0}), {230, 180});
}

TEST(BoxArray, StaysInTheViewInEveryRotation) {
    const BoxArray solid = make_solid({5, 3, 2});
    ViewRotation turn;
    for (int i = 0; i < 200; ++i) {
        turn.rotate({0.37F, i % 3 == 0 ? 0.5F : -0.3F});
        const glm::mat4 view = fit_view(solid, turn, low, high, huge);
        float widest = 0, highest = 0;
        for (unsigned corner = 0; corner < 8; ++corner) {
            const glm::vec2 at =
                to_screen(view, glm::vec3(corner & 1U, corner >> 1U & 1U, corner >> 2U) * solid.size());
            EXPECT_GT(at.x, -0.1F);
            EXPECT_GT(at.y, -0.1F);
            EXPECT_LT(at.x, 400.1F);
            EXPECT_LT(at.y, 300.1F);
            widest = std::max(widest, at.x);
            highest = std::max(highest, at.y);
        }
        EXPECT_TRUE(widest > 399 || highest > 299) << "the boxes do not fill the view";
    }
}

TEST(BoxArray, HasOnlyVisibleFaces) {
    const ViewRotation turn{0.4F, 0.3F};
    const BoxArray solid = make_solid({4, 3, 2});
    const auto faces = visible_faces(solid, fit_view(solid, turn, low, high, huge));
    // Three sides of the block are visible: 4 x 3, 3 x 2 and 4 x 2.
    EXPECT_EQ(faces.size(), 4U * 3 + 3 * 2 + 4 * 2);
    // A row of 3 is wrapped after 2: the third box is under the first, with nothing beside it.
    const BoxArray row{.boxes = {2, 2, 1}, .count = 3};
    std::multiset<std::uint32_t> boxes;
    for (const Face& face : visible_faces(row, fit_view(row, {.around_y = 0.4F}, low, high, huge)))
        boxes.insert(face.box);
    // Turned about y only, all fronts are visible, and the right sides of the second and the third box.
    EXPECT_THAT(boxes, UnorderedElementsAre(0, 1, 1, 2, 2));
}

struct Hit {
    std::uint32_t box = 0;
    bool is_near_edge = false;  ///< near an edge of the box, where no face is drawn
};
/// Returns the first box that the line of sight through the point enters. It tests every box, independently
/// of the faces and their order.
std::optional<Hit> find_foremost(const BoxArray& solid, const glm::mat4& view, glm::vec2 point) {
    const glm::mat4 inverse_view = glm::inverse(view);
    const glm::vec3 from = inverse_view * glm::vec4(point, -1e4F, 1),
                    to = inverse_view * glm::vec4(point, 1e4F, 1);
    std::optional<Hit> found;
    float nearest = 2;
    for (std::uint32_t box = 0; box < solid.count; ++box) {
        const glm::vec3 min = glm::vec3(solid.position_of(box)) * solid.box_size, max = min + solid.box_size;
        float enter = 0, leave = 1;
        for (int dimension = 0; dimension < 3; ++dimension) {
            const float along = to[dimension] - from[dimension];
            float a = (min[dimension] - from[dimension]) / along;
            float b = (max[dimension] - from[dimension]) / along;
            if (a > b) std::swap(a, b);
            enter = std::max(enter, a);
            leave = std::min(leave, b);
        }
        if (enter > leave || enter >= nearest) continue;
        nearest = enter;
        const glm::vec3 inside = (from + (to - from) * enter - min) / solid.box_size;
        int dimensions_at_edge = 0;
        for (int dimension = 0; dimension < 3; ++dimension)
            dimensions_at_edge += std::abs(inside[dimension] - 0.5F) > 0.43F ? 1 : 0;
        found = {box, dimensions_at_edge > 1};
    }
    return found;
}

TEST(BoxArray, APointHitsTheForemostBox) {
    const std::vector<BoxArray> solids = {
        make_solid({4, 3, 2}),
        {.boxes = {5, 3, 1}, .count = 12},
        {.boxes = {3, 2, 2}, .count = 12, .box_size = {1, 2.5F, 1}},
    };
    int hits = 0;
    for (const BoxArray& solid : solids) {
        ViewRotation turn;
        for (int i = 0; i < 20; ++i) {
            turn.rotate({0.41F, i % 2 == 0 ? 0.37F : -0.29F});
            const glm::mat4 view = fit_view(solid, turn, low, high, huge);
            const std::vector<Face> faces = visible_faces(solid, view);
            for (float y = 5; y < 300; y += 17) {
                for (float x = 5; x < 400; x += 19) {
                    const std::optional<Face> face = face_at(faces, {x, y});
                    const std::optional<Hit> expected = find_foremost(solid, view, {x, y});
                    EXPECT_TRUE(expected || !face);
                    if (!expected || expected->is_near_edge) continue;
                    ++hits;
                    ASSERT_TRUE(face) << x << ", " << y << " in turn " << i;
                    EXPECT_EQ(face->box, expected->box) << x << ", " << y << " in turn " << i;
                }
            }
        }
    }
    EXPECT_GT(hits, 5000);
}

TEST(BoxArray, NeverTurnsUpsideDown) {
    ViewRotation turn;
    for (int i = 0; i < 50; ++i)
        turn.rotate({3, 1});
    EXPECT_LT(turn.around_x, quarter);
    EXPECT_LE(std::abs(turn.around_y), 2 * quarter + 1e-3F);
}

}  // namespace gridstride::solid_test

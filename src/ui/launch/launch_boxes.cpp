#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/units.h"
#include "ui/launch/launch_view.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

// Design pixels.
constexpr float max_box_size = 72;
constexpr float caption_width = 110, caption_height = 28;  ///< reserved for the captions
constexpr float radians_per_pixel = 0.008F;                ///< of a drag, at a scale of 100 %
constexpr float radians_per_key = 0.2F;

ImU32 color_of(const LaunchBox& box) {
    const Palette& palette = theme().palette();
    const ImU32 color = box.is_odd ? palette.upload : palette.kernel;
    switch (box.coverage) {
        case Coverage::all:
            return color;
        case Coverage::some:
            return mix(color, palette.ground, 0.55F);
        case Coverage::none:
            return mix(palette.quiet, palette.ground, 0.65F);
    }
    return color;
}

/// Shades a face as if the light came from the front.
ImU32 darken_face(ImU32 color, unsigned normal_axis) {
    constexpr std::array<float, 3> shade = {0.4F, 0.22F, 0};
    return mix(color, theme().palette().ground, shade[normal_axis]);
}

Rect compute_bounds(const Face& face) {
    Rect rect{face.corners[0], face.corners[0]};
    for (const glm::vec2& corner : face.corners)
        rect = {glm::min(rect.min, corner), glm::max(rect.max, corner)};
    return rect;
}

void draw_outline(const Face& face, ImU32 color, float width) {
    std::array<ImVec2, 4> corners;
    std::ranges::copy(face.corners, corners.begin());
    ImGui::GetWindowDrawList()->AddPolyline(corners.data(), 4, color, ImDrawFlags_Closed, width);
}

std::string box_name(const LaunchView& view, std::uint32_t box) {
    const Region region = view.boxes.region_of(box);
    if (view.boxes_key.level == LaunchLevel::grid) return text_of(index_at(region, 0), view.dispatch().grid);
    if (view.boxes_key.level == LaunchLevel::workgroup)
        return text_of(index_at(region, 0), view.dispatch().workgroup);
    return fmt::format("{}", region[0].first % view.subgroup_size());
}

std::string describe_box(const LaunchView& view, std::uint32_t box) {
    const Region region = view.boxes.region_of(box);
    if (view.boxes_key.level == LaunchLevel::grid)
        return describe_workgroups(view.dispatch(), region) +
               (view.boxes.is_merged() ? tr(" Click to see them.") : tr(" Click to see its invocations."));
    const Extent& workgroup = view.dispatch().workgroup;
    const std::uint64_t number = view.boxes_key.level == LaunchLevel::workgroup
                                     ? linear_index(full_region(workgroup), index_at(region, 0))
                                     : region[0].first;
    const Index3 invocation = index_at(full_region(workgroup), number);
    const std::uint64_t passes = count_passes(view.dispatch(), view.workgroup);
    const std::string elements =
        passes == 0 ? tr("no element")
                    : describe_elements(view.dispatch(), find_elements_of_invocation(
                                                             view.dispatch(), view.workgroup, 0, invocation));
    return tr("Invocation {}: lane {} of subgroup {}. {}: {}.", text_of(invocation, workgroup),
              number % view.subgroup_size(), number / view.subgroup_size(),
              passes > 1 ? tr("First pass") : tr("It processes"), elements);
}

std::optional<std::uint32_t> chosen_box(const LaunchView& view) {
    switch (view.boxes_key.level) {
        case LaunchLevel::grid:
            return view.boxes.box_of(view.workgroup);
        case LaunchLevel::workgroup:
            return view.boxes.box_of(view.invocation);
        case LaunchLevel::invocation:
            return view.boxes.box_of({view.invocation_number(), 0, 0});
    }
    return std::nullopt;
}

void draw_names(const LaunchView& view, const std::vector<Face>& faces) {
    const Theme& t = theme();
    for (const Face& face : faces) {
        if (face.normal_axis != 2) continue;
        const float width = glm::distance(face.corners[0], face.corners[1]);
        const float height = glm::distance(face.corners[1], face.corners[2]);
        const float line = t.line_height(TextStyle::mono);
        if (std::max(width, height) < line * 1.2F || std::min(width, height) < line * 0.9F) continue;
        const std::string name = box_name(view, face.box);
        const Rect place = compute_bounds(face);
        const glm::vec2 size = text_size(TextStyle::mono, name);
        if (size.x + t.px(4) > place.width() * 0.9F || size.y > place.height()) continue;
        draw_text(ImGui::GetWindowDrawList(), TextStyle::mono, glm::floor(place.centre() - size * 0.5F),
                  t.text_on(color_of(view.boxes.boxes[face.box])), name);
    }
}

/// Draws captions around the solid: the first index of each row if one dimension is wrapped into several
/// rows, else the range of each dimension.
class Captions {
 public:
    Captions(const LaunchView& view, const glm::mat4& projection) : view_(view), projection_(projection) {}

    void draw() const {
        const BoxArray& solid = view_.boxes.solid;
        const Region& of = view_.boxes.of;
        if (of[1].count() == 1 && of[2].count() == 1) {
            if (solid.boxes.y > 1) draw_rows();
            return;
        }
        draw_side(0, "x", {0, 1});
        draw_side(1, "y", {-1, 0});
        if (of[2].count() > 1) draw_side(2, "z", {1, 0});
    }

 private:
    void put(glm::vec2 at, glm::vec2 outward, const std::string& words) const {
        const Theme& t = theme();
        const glm::vec2 size = text_size(TextStyle::note, words);
        const glm::vec2 middle = at + outward * (size * 0.5F + t.px(6));
        draw_text(ImGui::GetWindowDrawList(), TextStyle::note, glm::floor(middle - size * 0.5F),
                  t.palette().quiet, words);
    }
    void draw_rows() const {
        const BoxArray& solid = view_.boxes.solid;
        const float height = glm::distance(to_screen(projection_, {0, 0, 0}),
                                           to_screen(projection_, {0, solid.box_size.y, 0}));
        const auto each = static_cast<std::uint32_t>(
            std::ceil(theme().line_height(TextStyle::note) / std::max(height, 1.0F)));
        for (std::uint32_t row = 0; row < solid.boxes.y; row += each) {
            const float y = (static_cast<float>(row) + 0.5F) * solid.box_size.y;
            const glm::vec2 front = to_screen(projection_, {0, y, 0}),
                            back = to_screen(projection_, {0, y, 1});
            put(front.x < back.x ? front : back, {-1, 0}, box_name(view_, row * solid.boxes.x));
        }
    }
    void draw_side(unsigned dimension, const char* name, glm::vec2 outward) const {
        const glm::vec3 size = view_.boxes.solid.size();
        const int d = static_cast<int>(dimension);
        glm::vec2 furthest(0);
        float farthest = -1e9F;
        for (unsigned edge = 0; edge < 4; ++edge) {
            glm::vec3 middle(0);
            middle[d] = size[d] / 2;
            middle[(d + 1) % 3] = (edge & 1U) != 0 ? size[(d + 1) % 3] : 0;
            middle[(d + 2) % 3] = (edge & 2U) != 0 ? size[(d + 2) % 3] : 0;
            const glm::vec2 at = to_screen(projection_, middle);
            if (glm::dot(at, outward) <= farthest) continue;
            farthest = glm::dot(at, outward);
            furthest = at;
        }
        const IndexRange& range = view_.boxes.of[dimension];
        put(furthest, outward,
            tr("{}: {} to {}", name, format_count(range.first), format_count(range.end - 1)));
    }

    const LaunchView& view_;
    const glm::mat4& projection_;
};

void rotate_by_keys(LaunchView& view) {
    const auto turn = [&](Key key, glm::vec2 by) {
        if (is_plain_key_pressed(key, true)) view.turn.rotate(by * radians_per_key);
    };
    turn(Key::left, {1, 0});
    turn(Key::right, {-1, 0});
    turn(Key::up, {0, -1});
    turn(Key::down, {0, 1});
    if (is_plain_key_pressed(Key::home)) view.turn = LaunchView::first_turn;
}

/// Returns true if the mouse has moved too far since the press to be a click.
bool was_dragged() {
    const ImGuiIO& io = ImGui::GetIO();
    return io.MouseDragMaxDistanceSqr[0] > io.MouseDragThreshold * io.MouseDragThreshold;
}

/// Rotates the solid, or opens the box under the mouse or, with Enter, the chosen one.
void handle_input(LaunchView& view, const Item& item, const std::optional<Face>& under) {
    if (item.is_focused) rotate_by_keys(view);
    if (item.is_held && was_dragged())
        view.turn.rotate(glm::vec2(-1, 1) * glm::vec2(ImGui::GetIO().MouseDelta) * radians_per_pixel /
                         theme().scale());
    if (item.is_hovered && !under && ImGui::IsMouseDoubleClicked(0)) view.turn = LaunchView::first_turn;
    if (!item.was_clicked) return;
    if (!ImGui::IsMouseReleased(0)) {
        if (const auto box = chosen_box(view)) view.open_box(*box);
    } else if (under && !was_dragged()) {
        view.open_box(under->box);
    }
}

}  // namespace

void draw_launch_boxes(LaunchView& view, float max_height) {
    const Theme& t = theme();
    // Few boxes need less height.
    const glm::uvec3 boxes = view.boxes.solid.boxes;
    const float needed_height =
        t.px(max_box_size * static_cast<float>(boxes.y + boxes.z) + 2 * caption_height);
    const Rect area{cursor(),
                    cursor() + glm::floor(glm::vec2(content_width(), std::min(needed_height, max_height)))};
    advance_cursor(area.size());
    const Item item = interact("launch.boxes", {"boxes", counted(view.boxes.solid.count, "box", "boxes")},
                               area, {.takes_arrows = true, .ring_after_click = true});
    if (!item.is_visible) return;

    const glm::vec2 room(std::min(t.px(caption_width), area.width() / 5), t.px(caption_height));
    const glm::mat4 projection =
        fit_view(view.boxes.solid, view.turn, area.min + room, area.max - room, t.px(max_box_size));
    const std::vector<Face> faces = visible_faces(view.boxes.solid, projection);
    const std::optional<Face> under =
        item.is_hovered ? face_at(faces, ImGui::GetIO().MousePos) : std::nullopt;

    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(area.min, area.max, true);
    for (const Face& face : faces) {
        const auto& c = face.corners;
        list->AddQuadFilled(c[0], c[1], c[2], c[3],
                            darken_face(color_of(view.boxes.boxes[face.box]), face.normal_axis));
    }
    draw_names(view, faces);
    Captions(view, projection).draw();
    if (const auto chosen = chosen_box(view))
        for (const Face& face : faces)
            if (face.box == *chosen) draw_outline(face, t.palette().text, std::max(1.5F, t.px(2)));
    if (under) draw_outline(*under, t.palette().text, 1);
    list->PopClipRect();
    if (item.is_focused) draw_focus_ring(area.expanded(glm::vec2(-t.px(3))), t.px(3));
    if (under) {
        Item box = item;
        box.rect = compute_bounds(*under);
        show_delayed_tooltip(box, make_widget_id("launch.boxes"), describe_box(view, under->box));
    }
    handle_input(view, item, under);
}

void draw_launch_legend(LaunchView& view) {
    const Theme& t = theme();
    struct Entry {
        LaunchBox box;
        const char* grid_text;
        const char* workgroup_text;
    };
    const std::array<Entry, 4> entries = {
        {{{Coverage::all, false}, tr("elements for every invocation"), tr("elements in every pass")},
         {{Coverage::some, false}, tr("fewer for some invocations"), tr("fewer in the last pass")},
         {{Coverage::none, false}, tr("no element"), tr("idle: no element")},
         {{Coverage::all, true}, tr("every other slice"), tr("every other subgroup")}}};
    const auto occurs = [&](const LaunchBox& kind) {
        return std::ranges::any_of(view.boxes.boxes, [&](const LaunchBox& box) {
            return kind.is_odd ? box.is_odd : box.coverage == kind.coverage;
        });
    };
    const glm::vec2 start = cursor();
    const float width = content_width(), square = std::round(t.px(10)), line = t.line_height(TextStyle::note);
    glm::vec2 at = start;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto put = [&](std::string_view words, std::optional<ImU32> color) {
        const float mark = color ? square + t.px(6) : 0;
        const float entry_width = mark + text_size(TextStyle::note, words).x;
        if (at.x > start.x && at.x + entry_width > start.x + width) at = {start.x, at.y + line};
        const float top = std::round(at.y + (line - square) / 2);
        if (color)
            list->AddRectFilled({at.x, top}, {at.x + square, top + square}, with_style_alpha(*color),
                                t.px(2));
        draw_text(list, TextStyle::note, {at.x + mark, at.y}, t.palette().quiet, words);
        at.x += entry_width + t.px(16);
    };
    for (const Entry& entry : entries)
        if (occurs(entry.box))
            put(view.boxes_key.level == LaunchLevel::grid ? entry.grid_text : entry.workgroup_text,
                color_of(entry.box));
    if (view.boxes.is_merged()) {
        const Index3& each = view.boxes.each;
        const std::string words =
            tr("each box is {}", counted(each[0] * each[1] * each[2], "workgroup", "workgroups"));
        put(words, std::nullopt);
        register_place("launch.merged", {start, {start.x + width, at.y + line}}, words);
    }
    advance_cursor({width, at.y + line - start.y});
    const bool whole_grid = view.boxes_key.level != LaunchLevel::grid || view.parts.empty();
    if (whole_grid && view.turn == LaunchView::first_turn) return;
    gap(4);
    const ButtonOptions small{.emphasis = Emphasis::quiet, .is_small = true};
    if (!whole_grid) {
        if (button("launch.out", tr("Show more workgroups"), small)) view.parts.pop_back();
        if (view.turn != LaunchView::first_turn) ImGui::SameLine(0, t.px(8));
    }
    if (view.turn != LaunchView::first_turn && button("launch.fit", tr("Reset rotation"), small))
        view.turn = LaunchView::first_turn;
}

}  // namespace gridstride::ui

// Pictures side by side, explored together: where one is zoomed in, all are.
#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "ui/plot/plot_state.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr float largest_height = 320;
constexpr float label_height = 22;
constexpr double fewest_elements = 4;  // zoomed in as far as this

/// Width over height; of what holds nothing, a square.
double aspect(const Picture& picture) {
    const std::size_t height = picture.rows();
    return height == 0 ? 1 : static_cast<double>(picture.width) / static_cast<double>(height);
}

struct PictureLayout {
    std::vector<PlotArea> areas;
    bool labels = false;
};

/// All of one height. Takes from size->y what the pictures do not need.
PictureLayout lay_out(const Pictures& pictures, glm::vec2 origin, glm::vec2* size) {
    const Theme& t = theme();
    PictureLayout layout;
    layout.labels = std::any_of(pictures.pictures.begin(), pictures.pictures.end(),
                                [](const Picture& p) { return !p.label.empty(); });
    if (size->y > 0 && size->y < t.px(48)) layout.labels = false;
    const float words = layout.labels ? t.px(label_height) : 0;
    double aspects = 0;
    for (const Picture& picture : pictures.pictures)
        aspects += aspect(picture);
    const auto count = static_cast<float>(pictures.pictures.size());
    const float gap = t.px(12), free = std::max(1.0f, size->x - std::max(0.0f, count - 1) * gap);
    float height = (size->y > 0 ? size->y : t.px(largest_height)) - words;
    if (aspects > 0) height = std::min(height, static_cast<float>(static_cast<double>(free) / aspects));
    height = std::max(1.0f, std::floor(height));
    float x = origin.x;
    for (const Picture& picture : pictures.pictures) {
        const auto width = std::clamp(
            static_cast<float>(std::floor(static_cast<double>(height) * aspect(picture))), 1.0f, free);
        PlotArea area;
        area.min = glm::vec2(std::round(x), std::round(origin.y));
        area.max = glm::vec2(area.min.x + width, area.min.y + height);
        layout.areas.push_back(area);
        x += width + gap;
    }
    size->y = height + words;
    return layout;
}

/// Both axes show equal parts, so that pictures keep their proportions, and nothing beside the picture.
void keep_proportions(PlotView& view, const Pictures& pictures) {
    if (view.fitted) return;
    double elements = 1;
    for (const Picture& p : pictures.pictures)
        elements = std::max({elements, static_cast<double>(p.width), static_cast<double>(p.rows())});
    const double least = std::min(1.0, fewest_elements / elements);
    const double length = std::max({view.x_max - view.x_min, view.y_max - view.y_min, least});
    if (length >= 1) {
        view.fitted = true;
        view.state->easing = false;
        return;
    }
    const auto keep = [length](double* low, double* high) {
        const double middle = std::clamp((*low + *high) / 2, length / 2, 1 - length / 2);
        *low = middle - length / 2;
        *high = middle + length / 2;
    };
    keep(&view.x_min, &view.x_max);
    keep(&view.y_min, &view.y_max);
}

PictureRegion region_of(const Picture& picture, Range x, Range y) {
    const auto width = static_cast<double>(picture.width);
    const auto height = static_cast<double>(picture.rows());
    // Rows run down, the y axis up.
    return {x.low * width, (1 - y.high) * height, x.high * width, (1 - y.low) * height};
}

std::size_t under_mouse(const PictureLayout& layout, float x) {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < layout.areas.size(); ++i)
        if (x >= (layout.areas[i - 1].max.x + layout.areas[i].min.x) / 2) nearest = i;
    return nearest;
}

std::string value_of(const Picture& picture, std::size_t i) {
    const double value = picture.values->number(i);
    return short_value_text({}, value, 6);
}

void read_out(ImDrawList* list, const Pictures& pictures, const PictureLayout& layout, std::size_t hovered,
              glm::vec2 mouse) {
    const Picture& picture = pictures.pictures[hovered];
    const std::size_t height = picture.rows();
    if (height == 0) return;
    const PlotArea& area = layout.areas[hovered];
    const PictureRegion region = region_of(picture, area.x, area.y);
    const auto inside = [](double at, std::size_t count) {
        return static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(count) - 1));
    };
    const std::size_t x = inside(area.x_under(mouse) * static_cast<double>(picture.width), picture.width);
    const std::size_t y = inside((1 - area.y_under(mouse)) * static_cast<double>(height), height);
    const std::size_t i = y * picture.width + x;
    if (i >= picture.values->count()) return;
    std::vector<ReadoutLine> lines;
    lines.push_back({0, format_count(x) + ", " + format_count(y) + ": " + value_of(picture, i), {}});
    for (std::size_t p = 0; p < pictures.pictures.size(); ++p) {
        // The same place in the others, where it is the same place.
        const Picture& other = pictures.pictures[p];
        if (other.width != picture.width || other.rows() != height || i >= other.values->count()) continue;
        const PlotArea& there = layout.areas[p];
        const auto at_x = [&](double e) {
            return there.min.x +
                   static_cast<float>((e - region.x0) / (region.x1 - region.x0)) * there.width();
        };
        const auto at_y = [&](double e) {
            return there.min.y +
                   static_cast<float>((e - region.y0) / (region.y1 - region.y0)) * there.height();
        };
        glm::vec2 min(std::round(at_x(static_cast<double>(x))), std::round(at_y(static_cast<double>(y))));
        glm::vec2 max(std::round(at_x(static_cast<double>(x) + 1)),
                      std::round(at_y(static_cast<double>(y) + 1)));
        const float least = theme().px(4);
        if (max.x - min.x < least) min.x -= least / 2, max.x = min.x + least;
        if (max.y - min.y < least) min.y -= least / 2, max.y = min.y + least;
        // Seen on black and on white.
        list->AddRect(glm::vec2(min.x - 2, min.y - 2), glm::vec2(max.x + 2, max.y + 2), IM_COL32_BLACK);
        list->AddRect(glm::vec2(min.x - 1, min.y - 1), glm::vec2(max.x + 1, max.y + 1), IM_COL32_WHITE);
        if (p != hovered)
            lines.push_back({0, other.label.empty() ? "beside" : other.label, value_of(other, i)});
    }
    draw_readout(lines, mouse);
}

}  // namespace

void draw_pictures(std::string_view id, const Plot& plot, const Pictures& pictures, PlotView& view,
                   glm::vec2 size) {
    const Theme& t = theme();
    PlotState& state = *view.state;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const glm::vec2 origin = ImGui::GetCursorScreenPos(), mouse = ImGui::GetIO().MousePos;
    PictureLayout layout = lay_out(pictures, origin, &size);
    const glm::vec2 corner(origin.x + size.x, origin.y + size.y);
    const Range fit{0, 1};
    Range x, y;
    settle_ranges(view, fit, fit, &x, &y);
    Navigation navigation;
    PlotArea navigated;  // stays empty without pictures
    navigated.min = origin;
    navigated.max = glm::vec2(origin.x + 1, origin.y + 1);
    if (!layout.areas.empty()) {
        // While the mouse is down, the picture that it went down on.
        if (!state.held || state.picture >= layout.areas.size()) state.picture = under_mouse(layout, mouse.x);
        navigated = layout.areas[state.picture];
    }
    navigated.x = x;
    navigated.y = y;
    navigation = navigate(id, plot, view, {navigated, fit, fit, false}, origin, corner);
    if (navigation.changed) {
        keep_proportions(view, pictures);
        settle_ranges(view, fit, fit, &x, &y);
    }
    state.x = x;
    state.y = y;
    state.drawn = true;

    state.pictures.resize(pictures.pictures.size());
    for (std::size_t p = 0; p < pictures.pictures.size(); ++p) {
        const Picture& picture = pictures.pictures[p];
        PlotArea& area = layout.areas[p];
        area.x = x;
        area.y = y;
        state.pictures[p].update(picture, region_of(picture, x, y), glm::vec2(area.width(), area.height()),
                                 t.palette().wrong);
        {
            RectBatch batch(list);
            for (const PictureCells::Run& run : state.pictures[p].runs())
                batch.add(glm::vec2(area.min.x + run.x0, area.min.y + run.y0),
                          glm::vec2(area.min.x + run.x1, area.min.y + run.y1), run.color);
        }
        // White on the light theme's ground, and a picture without elements, have an edge too.
        if (area.width() > 4 && area.height() > 4)
            list->AddRect(glm::vec2(area.min.x - 1, area.min.y - 1),
                          glm::vec2(area.max.x + 1, area.max.y + 1), t.palette().line);
        if (layout.labels)
            put_text(list, Type::note, glm::vec2(area.min.x, area.max.y + t.px(7)), t.palette().quiet,
                     elide(Type::note, picture.label, std::max(area.width(), t.px(12))));
    }
    if (navigation.hovered && !state.boxing) {
        list->PushClipRect(origin, corner, true);
        read_out(list, pictures, layout, state.picture, mouse);
        list->PopClipRect();
    }
    if (!layout.areas.empty()) draw_zoom_box(list, view, layout.areas[state.picture], false);
    if (navigation.focused)
        draw_focus_ring({{origin.x - t.px(4), origin.y - t.px(4)}, {corner.x + t.px(4), corner.y + t.px(2)}},
                        t.px(6));
    register_widget(id, "plot", origin, corner);
    ImGui::SetCursorScreenPos(origin);
    advance_cursor(size);
}

}  // namespace gridstride::ui

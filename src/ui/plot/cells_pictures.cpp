#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/units.h"
#include "ui/plot/cells.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr float max_height = 320;
constexpr float label_height = 22;
constexpr double min_cells = 4;  // maximum zoom: cells visible along an axis

}  // namespace

/// All pictures have the same height and keep their proportions; an empty one is square.
CellsLayout lay_out_pictures(const Cells& cells, glm::vec2 origin, glm::vec2 size) {
    const Theme& t = theme();
    CellsLayout layout;
    layout.labels = std::ranges::any_of(cells.numbers, [](const auto& p) { return !p.label.empty(); });
    if (size.y > 0 && size.y < t.px(48)) layout.labels = false;
    const float words = layout.labels ? t.px(label_height) : 0;
    const auto aspect = [](const Cells::Numbers& picture) {
        const std::size_t rows = picture.rows();
        return rows == 0 ? 1 : static_cast<double>(picture.width) / static_cast<double>(rows);
    };
    double aspects = 0;
    for (const Cells::Numbers& picture : cells.numbers)
        aspects += aspect(picture);
    const auto count = static_cast<float>(cells.numbers.size());
    const float gap = t.px(12), free = std::max(1.0f, size.x - std::max(0.0f, count - 1) * gap);
    float height = (size.y > 0 ? size.y : t.px(max_height)) - words;
    if (aspects > 0) height = std::min(height, static_cast<float>(static_cast<double>(free) / aspects));
    height = std::max(1.0f, std::floor(height));
    float x = origin.x;
    for (const Cells::Numbers& picture : cells.numbers) {
        const auto width = std::clamp(
            static_cast<float>(std::floor(static_cast<double>(height) * aspect(picture))), 1.0f, free);
        PlotArea area;
        area.min = glm::vec2(std::round(x), std::round(origin.y));
        area.max = area.min + glm::vec2(width, height);
        layout.areas.push_back(area);
        x += width + gap;
    }
    layout.legend_top = origin.y + height + words;
    layout.size = {size.x, height + words};
    return layout;
}

void keep_proportions(PlotView& view, const Cells& cells) {
    if (view.is_fitted) return;
    double max_extent = 1;
    for (const Cells::Numbers& p : cells.numbers)
        max_extent = std::max({max_extent, static_cast<double>(p.width), static_cast<double>(p.rows())});
    const double min_length = std::min(1.0, min_cells / max_extent);
    const double length = std::max({view.x_max - view.x_min, view.y_max - view.y_min, min_length});
    if (length >= 1) {
        view.is_fitted = true;
        view.state->is_animating = false;
        return;
    }
    for (const auto& [low, high] : {std::tie(view.x_min, view.x_max), std::tie(view.y_min, view.y_max)}) {
        const double middle = std::clamp((low + high) / 2, length / 2, 1 - length / 2);
        low = middle - length / 2;
        high = middle + length / 2;
    }
}

std::size_t find_picture(const CellsLayout& layout, float x) {
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < layout.areas.size(); ++i)
        if (x >= (layout.areas[i - 1].max.x + layout.areas[i].min.x) / 2) nearest = i;
    return nearest;
}

void draw_picture_readout(ImDrawList* list, const Cells& cells, const CellsLayout& layout,
                          std::size_t hovered, glm::vec2 mouse, const ReadoutLine& hint) {
    const Cells::Numbers& picture = cells.numbers[hovered];
    const std::size_t height = picture.rows();
    if (height == 0) return;
    const auto cell_under = [](double part, std::size_t count) {
        const auto all = static_cast<double>(count);
        return static_cast<std::size_t>(std::clamp(part * all, 0.0, all - 1));
    };
    const std::size_t x = cell_under(layout.areas[hovered].x_under(mouse), picture.width);
    const std::size_t y = cell_under(1 - layout.areas[hovered].y_under(mouse), height);
    const std::size_t i = y * picture.width + x;
    if (i >= picture.values->count()) return;
    const auto value = [i](const Cells::Numbers& of) {
        return short_value_text({}, of.values->number(i), 6);
    };
    std::vector<ReadoutLine> lines;
    lines.push_back({0, format_count(x) + ", " + format_count(y) + ": " + value(picture), {}});
    for (std::size_t p = 0; p < cells.numbers.size(); ++p) {
        // The same cell in the other pictures, if they have the same size.
        const Cells::Numbers& other = cells.numbers[p];
        if (other.width != picture.width || other.rows() != height || i >= other.values->count()) continue;
        const PlotArea& other_area = layout.areas[p];
        const auto corner = [&](std::size_t column, std::size_t row) {
            return glm::round(other_area.at(static_cast<double>(column) / static_cast<double>(picture.width),
                                            1 - static_cast<double>(row) / static_cast<double>(height)));
        };
        glm::vec2 min = corner(x, y), max = corner(x + 1, y + 1);
        const float min_size = theme().px(4);
        if (max.x - min.x < min_size) min.x -= min_size / 2, max.x = min.x + min_size;
        if (max.y - min.y < min_size) min.y -= min_size / 2, max.y = min.y + min_size;
        // Visible on black and on white.
        list->AddRect(min - 2.0f, max + 2.0f, IM_COL32_BLACK);
        list->AddRect(min - 1.0f, max + 1.0f, IM_COL32_WHITE);
        if (p != hovered)
            lines.push_back({0, other.label.empty() ? tr("other picture") : other.label, value(other)});
    }
    lines.push_back(hint);
    draw_readout(lines, mouse);
}

void draw_picture_edges(ImDrawList* list, const Cells& cells, const CellsLayout& layout) {
    const Theme& t = theme();
    for (std::size_t p = 0; p < cells.numbers.size(); ++p) {
        const PlotArea& area = layout.areas[p];
        // The frame shows white pictures on the light theme, and pictures without elements.
        if (area.width() > 4 && area.height() > 4)
            list->AddRect(area.min - 1.0f, area.max + 1.0f, t.palette().line);
        if (layout.labels)
            draw_plot_text(list, TextStyle::note, glm::vec2(area.min.x, area.max.y + t.px(7)),
                           t.palette().quiet,
                           elide(TextStyle::note, cells.numbers[p].label, std::max(area.width(), t.px(12))));
    }
}

}  // namespace gridstride::ui

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>

#include "ui/plot/plot_state.h"

namespace gridstride::ui {
namespace {

/// Limits on the bars and points examined around the mouse when millions share a pixel.
constexpr std::size_t max_examined = 200000;
constexpr std::size_t max_examined_points = 4000;

struct Nearest {
    std::optional<Hit> hit;
    double distance = std::numeric_limits<double>::infinity();

    void update_nearest(double candidate_distance, const SeriesData& data, std::size_t series,
                        std::size_t i) {
        if (!(candidate_distance < distance)) return;
        distance = candidate_distance;
        hit = Hit{series, i, data.x(i), data.y(i)};
    }
};

double pixel_width(const PlotArea& area) {
    return area.x.length() / static_cast<double>(std::max(1.0f, area.x_length()));
}

std::optional<Hit> find_stack_hit(const FigurePaint& paint, glm::vec2 mouse) {
    const double x = paint.area.x_under(mouse);
    const double value = from_axis(paint.figure.y.scale, paint.area.y_under(mouse));
    Nearest nearest;
    for (const std::size_t s : paint.visible_series(Mark::stacked_bars)) {
        const SeriesData& data = paint.state.data[s];
        const BarSlot slot = bar_slot(paint, s);
        for (std::size_t i = data.lower_bound(x - slot.pitch / 2); i < data.size(); ++i) {
            if (data.axis_x(i) > x + slot.pitch / 2) break;
            if (!data.is_valid(i) || data.y(i) == 0) continue;
            const double below = stack_base(paint, s, i);
            const auto [low, high] = std::minmax({below, below + data.y(i)});
            nearest.update_nearest(value < low ? low - value : value > high ? value - high : 0, data, s, i);
        }
    }
    return nearest.hit;
}

std::optional<Hit> find_bar_hit(const FigurePaint& paint, glm::vec2 mouse, Mark mark) {
    const double x = paint.area.x_under(mouse), pixel = pixel_width(paint.area);
    Nearest nearest;
    for (const std::size_t s : paint.visible_series(mark)) {
        const SeriesData& data = paint.state.data[s];
        const BarSlot slot = bar_slot(paint, s);
        const double reach = std::max(slot.pitch / 2, pixel / 2);
        const std::size_t begin = data.lower_bound(x - reach);
        const std::size_t end = std::min(data.lower_bound(x + reach), begin + max_examined);
        const bool aggregated = slot.pitch < pixel * 1.5;
        for (std::size_t i = begin; i < end; ++i) {
            if (!data.is_valid(i)) continue;
            // If many bars share the pixel, the largest one is drawn.
            nearest.update_nearest(
                aggregated ? -std::fabs(data.y(i)) : std::fabs(data.axis_x(i) + slot.offset - x), data, s, i);
        }
    }
    return nearest.hit;
}

std::optional<Hit> find_point_hit(const FigurePaint& paint, glm::vec2 mouse) {
    const std::vector<Series>& all = paint.figure.series;
    const PlotArea& area = paint.area;
    const double pixel = pixel_width(area);
    const double x = area.x_under(mouse), around = pixel * static_cast<double>(theme().px(8));
    Nearest nearest;
    for (std::size_t s = 0; s < all.size(); ++s) {
        if (is_bar(all[s].mark) || paint.is_hidden(s)) continue;
        const SeriesData& data = paint.state.data[s];
        const std::size_t middle = data.lower_bound(x);
        const std::size_t begin = std::min(data.lower_bound(x - around), middle > 0 ? middle - 1 : 0);
        const std::size_t end = std::min(data.size(), std::max(data.lower_bound(x + around), middle + 1));
        const auto consider = [&](std::size_t i) {
            if (i >= end || !data.is_valid(i)) return;
            const glm::vec2 at = area.at(data.axis_x(i), data.axis_y(i));
            if (!area.expanded(glm::vec2(1)).contains(at)) return;
            // Distance along x counts double, because a line is read from its axis upwards.
            const float dx = at.x - mouse.x, dy = at.y - mouse.y;
            const float distance = area.is_horizontal ? dx * dx * 0.25f + dy * dy : dx * dx + dy * dy * 0.25f;
            nearest.update_nearest(static_cast<double>(distance), data, s, i);
        };
        if (end > begin && end - begin > max_examined_points) {
            // If samples share a pixel, only the smallest and the largest are drawn.
            for (double at = x - around; at < x + around; at += pixel) {
                const std::size_t first = data.lower_bound(at), last = data.lower_bound(at + pixel);
                const DataRange extent = data.extent(first, last);
                if (extent.empty()) continue;
                consider(data.find_value(extent.low, first, last));
                consider(data.find_value(extent.high, first, last));
            }
            continue;
        }
        for (std::size_t i = begin; i < end; ++i)
            consider(i);
    }
    const auto reach = static_cast<double>(theme().px(64));
    return nearest.distance <= reach * reach ? nearest.hit : std::nullopt;
}

}  // namespace

std::optional<Hit> find_hit(const FigurePaint& paint, glm::vec2 mouse) {
    // Points lie over bars, and win if they are close.
    const std::optional<Hit> point = find_point_hit(paint, mouse);
    const std::optional<Hit> stack = find_stack_hit(paint, mouse);
    std::optional<Hit> bar = stack ? stack : find_bar_hit(paint, mouse, Mark::bars);
    if (!bar) bar = find_bar_hit(paint, mouse, Mark::outline_bars);
    if (!point || !bar) return point ? point : bar;
    const SeriesData& data = paint.state.data[point->series];
    const glm::vec2 at = paint.area.at(data.axis_x(point->index), data.axis_y(point->index));
    return glm::distance(at, mouse) <= theme().px(10) ? point : bar;
}

}  // namespace gridstride::ui

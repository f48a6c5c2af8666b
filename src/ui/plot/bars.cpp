// Bars, outline bars over them, and their numbers.
#include <algorithm>
#include <cmath>

#include "ui/plot/plot_state.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr double filled_fraction = 0.7;  // of the pitch; the rest separates the groups
constexpr float max_bar_width = 160;     // else a single bar would fill the plot
constexpr float aggregate_below = 1.5f;  // pixels per bar; narrower bars are drawn as the largest per pixel
constexpr std::size_t max_labels = 400;

float pixels(const FigurePaint& paint, double x_width) {
    return static_cast<float>(x_width / paint.area.x.length() * static_cast<double>(paint.area.x_length()));
}

float outline_width() {
    return std::max(1.0f, theme().px(1.5f));
}

void draw_columns(const FigurePaint& paint, std::size_t series, bool outline) {
    const PlotArea& area = paint.area;
    const float width = column_width(), start = area.is_horizontal ? area.min.y : area.min.x;
    const float base = std::round(paint.along_value(0)), up = area.is_horizontal ? 1.0f : -1.0f;
    const std::vector<Column> columns = screen_columns(paint, series);
    RectBatch batch(paint.list);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const DataRange& extent = columns[c].extent;
        if (extent.empty()) continue;
        const float x = start + static_cast<float>(c) * width;
        const float high = paint.along_value(extent.high), low = paint.along_value(extent.low);
        const std::optional<Differences>& found = paint.state.differences;
        const bool wrong = found && found->bars == series && found->any_in(columns[c].begin, columns[c].end);
        const auto add = [&](float y0, float y1) {
            const Rect at = area.corners(x, x + width, y0, y1);
            batch.add(at.min, at.max, wrong ? theme().color(ColorRole::wrong) : paint.state.colors[series]);
        };
        if (outline) {
            add(high, high + up * outline_width());
            continue;
        }
        // At least one pixel, so that small values next to large ones stay visible.
        if (extent.high > 0) add(base, std::fabs(high - base) < 1 ? base + up : high);
        if (extent.low < 0) add(base, std::fabs(low - base) < 1 ? base - up : low);
    }
}

void draw_bar_series(const FigurePaint& paint, std::size_t s) {
    const bool outline = paint.figure.series[s].mark == Mark::outline_bars;
    const BarSlot slot = bar_slot(paint, s);
    if (pixels(paint, slot.pitch) < aggregate_below) {
        draw_columns(paint, s, outline);
        return;
    }
    const SeriesData& data = paint.state.data[s];
    const SampleRange visible = visible_bars(paint, s, slot);
    const bool horizontal = paint.area.is_horizontal;
    // Bars start at zero on a linear axis and at the lower end of a logarithmic one.
    const double base = paint.figure.y.scale == AxisScale::linear ? 0.0 : paint.area.y.low;
    const float radius = pixels(paint, slot.width) >= theme().px(10) ? theme().px(2) : 0;
    RectBatch batch(paint.list);
    for (std::size_t i = visible.begin; i < visible.end; ++i) {
        if (!data.is_valid(i)) continue;
        const double value = data.axis_y(i);
        Rect c = bar_rect(paint, slot, data.axis_x(i), paint.area.along_y(base), paint.area.along_y(value));
        const bool upwards = value >= base;
        const ImU32 color = paint.color(s, i, 0.25f);
        if (outline) {
            paint.list->AddRect(c.min, c.max, color, radius, 0, outline_width());
            continue;
        }
        if (value == base) continue;
        float& far_end = horizontal ? (upwards ? c.max.x : c.min.x) : (upwards ? c.min.y : c.max.y);
        const float extent = horizontal ? c.width() : c.height();
        if (extent < 1) far_end += horizontal == upwards ? 1.0f : -1.0f;
        if (radius == 0) {
            batch.add(c.min, c.max, color);
            continue;
        }
        // Round only the corners at the far end. A batch must not be mixed with other drawing.
        const ImDrawFlags end =
            horizontal ? (upwards ? ImDrawFlags_RoundCornersRight : ImDrawFlags_RoundCornersLeft)
                       : (upwards ? ImDrawFlags_RoundCornersTop : ImDrawFlags_RoundCornersBottom);
        paint.list->AddRectFilled(c.min, c.max, color, extent >= 2 * radius ? radius : 0, end);
    }
}

}  // namespace

bool is_bar(Mark mark) {
    return mark == Mark::bars || mark == Mark::outline_bars || mark == Mark::stacked_bars;
}

SampleRange visible_bars(const FigurePaint& paint, std::size_t series, const BarSlot& slot) {
    const SeriesData& data = paint.state.data[series];
    return {data.lower_bound(paint.area.x.low - slot.pitch),
            data.lower_bound(paint.area.x.high + slot.pitch)};
}

Rect bar_rect(const FigurePaint& paint, const BarSlot& slot, double x, float from, float to) {
    const PlotArea& area = paint.area;
    const double middle = x + slot.offset;
    const float x0 = std::round(area.along_x(middle - slot.width / 2));
    const float x1 = std::round(area.along_x(middle + slot.width / 2));
    return area.corners(x0, std::max(x1, x0 + 1), std::round(from), std::round(to));
}

BarSlot bar_slot(const FigurePaint& paint, std::size_t series) {
    const std::vector<Series>& all = paint.figure.series;
    BarSlot slot;
    bool first = true;
    std::size_t group_size = 0, own = 0;
    for (std::size_t s = 0; s < all.size() && s < paint.state.data.size(); ++s) {
        if (!is_bar(all[s].mark) || paint.state.data[s].size() == 0) continue;
        const double pitch = paint.state.data[s].pitch();
        slot.pitch = first ? pitch : std::min(slot.pitch, pitch);
        first = false;
        if (all[s].mark != Mark::bars || paint.is_hidden(s)) continue;
        if (s == series) own = group_size;
        ++group_size;
    }
    const float pitch_pixels = pixels(paint, slot.pitch);
    // Narrow bars have a gap of one pixel, very narrow ones none.
    const double filled = pitch_pixels >= theme().px(8)   ? filled_fraction
                          : pitch_pixels >= theme().px(3) ? 1 - 1 / static_cast<double>(pitch_pixels)
                                                          : 1;
    const double max_width =
        theme().px(max_bar_width) * static_cast<float>(std::max<std::size_t>(group_size, 1));
    slot.width = slot.pitch * std::min(filled, max_width / static_cast<double>(pitch_pixels));
    // Outline and stacked bars span the whole group.
    if (all[series].mark == Mark::bars && group_size > 1) {
        const double each = slot.width / static_cast<double>(group_size);
        slot.offset = (static_cast<double>(own) + 0.5) * each - slot.width / 2;
        slot.width =
            pixels(paint, each) >= theme().px(6) ? each - 1 / static_cast<double>(pixels(paint, 1.0)) : each;
    }
    return slot;
}

void draw_bars(const FigurePaint& paint) {
    const std::optional<Differences>& found = paint.state.differences;
    for (const Mark mark : {Mark::bars, Mark::outline_bars})
        for (const std::size_t s : paint.visible_series(mark))
            if (!found || !found->has_many_bars || s != found->outlines) draw_bar_series(paint, s);
}

/// Moves a number past an outline that would cross it.
static float avoid_outlines(const FigurePaint& paint, std::size_t i, float y, float height, bool is_below) {
    const float padding = theme().px(3);
    for (const std::size_t s : paint.visible_series(Mark::outline_bars)) {
        const SeriesData& data = paint.state.data[s];
        if (i >= data.size() || !data.is_valid(i)) continue;
        const float line = paint.along_value(data.y(i));
        if (line > y - padding && line < y + height + padding)
            return is_below ? line + padding : line - height - padding;
    }
    return y;
}

void draw_bar_labels(const FigurePaint& paint) {
    const Theme& t = theme();
    const AxisUnit unit = paint.y_unit();
    const float height = t.font_size(TextStyle::mono);
    const bool horizontal = paint.area.is_horizontal;
    for (std::size_t s = 0; s < paint.figure.series.size(); ++s) {
        if (paint.is_hidden(s) || s >= paint.state.has_value_labels.size() ||
            !paint.state.has_value_labels[s])
            continue;
        const SeriesData& data = paint.state.data[s];
        const BarSlot slot = bar_slot(paint, s);
        const SampleRange visible = visible_bars(paint, s, slot);
        if (visible.count() > max_labels) continue;
        // All or none, because missing numbers would look like missing values.
        if (horizontal ? pixels(paint, slot.pitch) < height
                       : max_number_width(data, visible, unit) + t.px(6) > pixels(paint, slot.label_room()))
            continue;
        for (std::size_t i = visible.begin; i < visible.end; ++i) {
            if (!data.is_valid(i)) continue;
            const double value = data.y(i);
            const std::string label = short_value_text(unit, value);
            const glm::vec2 size = text_size(TextStyle::mono, label);
            const bool has_error_bar = data.low(i) < data.high(i);
            // Beside its own bar or on it; at the end of the error bar it would look like that end's value.
            const bool over_error_bar =
                horizontal && has_error_bar && pixels(paint, slot.pitch) >= 2 * (height + t.px(5));
            const bool right_of_error_bar =
                !horizontal && has_error_bar && pixels(paint, slot.width) >= 2 * (size.x + t.px(8));
            const double outermost = value < 0 ? std::min(value, data.low(i)) : std::max(value, data.high(i));
            const double end = to_axis(paint.figure.y.scale, right_of_error_bar ? value : outermost);
            const glm::vec2 at =
                paint.area.at(data.axis_x(i) + slot.offset, std::isnan(end) ? data.axis_y(i) : end);
            glm::vec2 corner;
            if (over_error_bar) {
                const float x = paint.along_value(value);
                corner = {value < 0 ? x - size.x - t.px(6) : x + t.px(6), at.y - height - t.px(5)};
            } else if (horizontal) {
                corner = {value < 0 ? at.x - size.x - t.px(6) : at.x + t.px(6), at.y - height / 2};
            } else {
                const float y = value < 0 ? at.y + t.px(3) : at.y - height - t.px(3);
                corner = {right_of_error_bar ? at.x + t.px(6) : at.x - size.x / 2,
                          avoid_outlines(paint, i, y, height, value < 0)};
            }
            corner = glm::round(corner);
            // Clear the background, so that no marker line crosses the number.
            if (!paint.figure.markers.empty())
                paint.list->AddRectFilled({corner.x - t.px(2), corner.y},
                                          {corner.x + size.x + t.px(2), corner.y + height},
                                          t.palette().ground);
            draw_plot_text(paint.list, TextStyle::mono, corner, t.palette().text, label);
        }
    }
}

float max_number_width(const SeriesData& data, SampleRange range, const AxisUnit& unit) {
    float width = 0;
    for (std::size_t i = range.begin; i < range.end; ++i)
        width = std::max(width, text_size(TextStyle::mono, short_value_text(unit, data.y(i))).x);
    return width;
}

double stack_base(const FigurePaint& paint, std::size_t series, std::size_t i) {
    const double own = paint.state.data[series].y(i);
    double sum = 0;
    for (const std::size_t s : paint.visible_series(Mark::stacked_bars)) {
        if (s >= series) break;
        const SeriesData& data = paint.state.data[s];
        // Negative parts are stacked downwards, separately.
        if (i < data.size() && std::fabs(data.y(i)) <= max_axis_value && (data.y(i) < 0) == (own < 0))
            sum += data.y(i);
    }
    return sum;
}

}  // namespace gridstride::ui

// Bars beside each other, outlines over them, their numbers, and stacks.
#include <algorithm>
#include <cmath>

#include "ui/plot/plot_state.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr double filled_part = 0.7;      // of the pitch; the rest parts the groups
constexpr float aggregate_below = 1.5f;  // pixels a bar: narrower ones are drawn as the largest per pixel
constexpr std::size_t most_labels = 400;

/// Where bars start: at zero on a linear axis, at the lower end on a logarithmic one.
double base_of(const FigurePaint& paint) {
    return paint.figure.y.scale == AxisScale::linear ? 0.0 : paint.area.y.low;
}

float pixels(const FigurePaint& paint, double x_width) {
    return static_cast<float>(x_width / paint.area.x.length() * static_cast<double>(paint.area.x_length()));
}

SampleRange visible_bars(const FigurePaint& paint, std::size_t series, double pitch) {
    const SeriesData& data = paint.state.data[series];
    return {data.lower_bound(paint.area.x.low - pitch), data.lower_bound(paint.area.x.high + pitch)};
}

Rect bar_corners(const FigurePaint& paint, double middle, double width, double from, double to) {
    const PlotArea& area = paint.area;
    float x0 = std::round(area.along_x(middle - width / 2)),
          x1 = std::round(area.along_x(middle + width / 2));
    if (x1 - x0 < 1) x1 = x0 + 1;
    const float y0 = std::round(area.along_y(from)), y1 = std::round(area.along_y(to));
    return area.corners(x0, x1, y0, y1);
}

ImU32 lit(ImU32 color) {
    return mix(color, theme().palette().text, 0.25f);
}

/// The corners at the far end are rounded, those on the axis are not.
void fill_bar(const FigurePaint& paint, Rect c, bool upwards, ImU32 color, float radius) {
    const ImDrawFlags end = paint.area.horizontal
                                ? (upwards ? ImDrawFlags_RoundCornersRight : ImDrawFlags_RoundCornersLeft)
                                : (upwards ? ImDrawFlags_RoundCornersTop : ImDrawFlags_RoundCornersBottom);
    paint.list->AddRectFilled(c.min, c.max, color, radius, end);
}

void draw_columns(const FigurePaint& paint, std::size_t series, bool outline) {
    const PlotArea& area = paint.area;
    const float column = column_width();
    const auto count = static_cast<std::size_t>(std::max(1.0f, area.x_length() / column));
    std::vector<Column>& columns = paint.state.columns;
    fill_columns(paint.state.data[series], area.x, count, columns);
    const ImU32 color = paint.state.colors[series];
    const AxisScale scale = paint.figure.y.scale;
    const float start = area.horizontal ? area.min.y : area.min.x;
    const float base = std::round(area.along_y(base_of(paint)));
    const float thick = std::max(1.0f, theme().px(1.5f));
    RectBatch batch(paint.list);
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (columns[c].extent.empty()) continue;
        const float x = start + static_cast<float>(c) * column;
        const auto high = area.along_y(to_axis(scale, columns[c].extent.high));
        const auto low = area.along_y(to_axis(scale, columns[c].extent.low));
        const auto add = [&](float y0, float y1) {
            const Rect at = area.corners(x, x + column, y0, y1);
            batch.add(at.min, at.max, color);
        };
        const float up = area.horizontal ? 1.0f : -1.0f;
        if (outline) {
            add(high, high + up * thick);
            continue;
        }
        // At least a pixel, so that small values beside large ones stay in sight.
        if (columns[c].extent.high > 0) add(base, std::fabs(high - base) < 1 ? base + up : high);
        if (columns[c].extent.low < 0) add(base, std::fabs(low - base) < 1 ? base - up : low);
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
    const SampleRange visible = visible_bars(paint, s, slot.pitch);
    const ImU32 color = paint.state.colors[s];
    const double base = base_of(paint);
    const float width = pixels(paint, slot.width);
    const float radius = width >= theme().px(10) ? theme().px(2) : 0;
    const float thick = std::max(1.0f, theme().px(1.5f));
    RectBatch batch(paint.list);
    for (std::size_t i = visible.begin; i < visible.end; ++i) {
        if (!data.valid(i)) continue;
        const double value = data.axis_y(i);
        Rect c = bar_corners(paint, data.axis_x(i) + slot.offset, slot.width, base, value);
        const bool upwards = value >= base,
                   lit_up = paint.hit && paint.hit->series == s && paint.hit->index == i;
        if (outline) {
            paint.list->AddRect(c.min, c.max, lit_up ? lit(color) : color, radius, 0, thick);
            continue;
        }
        if (value == base) continue;
        float& far_end =
            paint.area.horizontal ? (upwards ? c.max.x : c.min.x) : (upwards ? c.min.y : c.max.y);
        const float extent = paint.area.horizontal ? c.max.x - c.min.x : c.max.y - c.min.y;
        if (extent < 1) far_end += (paint.area.horizontal == upwards) ? 1.0f : -1.0f;
        const ImU32 fill = lit_up ? lit(color) : color;
        if (radius > 0 && extent >= 2 * radius)
            fill_bar(paint, c, upwards, fill, radius);
        else if (radius > 0)
            paint.list->AddRectFilled(c.min, c.max, fill);  // a batch must not be mixed with other drawing
        else
            batch.add(c.min, c.max, fill);
    }
}

}  // namespace

bool is_bar(Mark mark) {
    return mark == Mark::bars || mark == Mark::outline_bars || mark == Mark::stacked_bars;
}

BarSlot bar_slot(const FigurePaint& paint, std::size_t series) {
    const std::vector<Series>& all = paint.figure.series;
    BarSlot slot;
    bool first = true;
    std::size_t beside = 0, own = 0;
    for (std::size_t s = 0; s < all.size() && s < paint.state.data.size(); ++s) {
        if (!is_bar(all[s].mark) || paint.state.data[s].size() == 0) continue;
        const double pitch = paint.state.data[s].pitch();
        slot.pitch = first ? pitch : std::min(slot.pitch, pitch);
        first = false;
        if (all[s].mark != Mark::bars || paint.hidden(s)) continue;
        if (s == series) own = beside;
        ++beside;
    }
    const float pitch_pixels = pixels(paint, slot.pitch);
    // Narrow bars need their pixels more than the gaps do, but one pixel of gap tells them apart.
    const double filled = pitch_pixels >= theme().px(8)   ? filled_part
                          : pitch_pixels >= theme().px(3) ? 1 - 1 / static_cast<double>(pitch_pixels)
                                                          : 1;
    slot.width = slot.pitch * filled;
    // Outlines and stacks stand over the whole group.
    if (all[series].mark == Mark::bars && beside > 1) {
        const double each = slot.width / static_cast<double>(beside);
        slot.offset = (static_cast<double>(own) + 0.5) * each - slot.width / 2;
        slot.width =
            pixels(paint, each) >= theme().px(6) ? each - 1 / static_cast<double>(pixels(paint, 1.0)) : each;
    }
    return slot;
}

void draw_bars(const FigurePaint& paint) {
    for (const bool outlines : {false, true})
        for (std::size_t s = 0; s < paint.figure.series.size(); ++s) {
            const Mark mark = paint.figure.series[s].mark;
            if (mark == (outlines ? Mark::outline_bars : Mark::bars) && !paint.hidden(s))
                draw_bar_series(paint, s);
        }
}

/// Moves a number past the outline that would strike it through.
static float clear_of_outlines(const FigurePaint& paint, std::size_t i, float y, float height, bool below) {
    const float air = theme().px(3);
    for (std::size_t s = 0; s < paint.figure.series.size(); ++s) {
        if (paint.figure.series[s].mark != Mark::outline_bars || paint.hidden(s)) continue;
        const SeriesData& data = paint.state.data[s];
        if (i >= data.size() || !data.valid(i)) continue;
        const float line = paint.area.along_y(data.axis_y(i));
        if (line > y - air && line < y + height + air) return below ? line + air : line - height - air;
    }
    return y;
}

void draw_bar_labels(const FigurePaint& paint) {
    const Theme& t = theme();
    const AxisUnit unit = paint.y_unit();
    const float height = t.font(Type::mono)->FontSize;
    for (std::size_t s = 0; s < paint.figure.series.size(); ++s) {
        if (paint.hidden(s) || s >= paint.state.labelled.size() || !paint.state.labelled[s]) continue;
        const SeriesData& data = paint.state.data[s];
        const BarSlot slot = bar_slot(paint, s);
        const SampleRange visible = visible_bars(paint, s, slot.pitch);
        if (visible.end - visible.begin > most_labels) continue;
        const float room = paint.area.horizontal ? pixels(paint, slot.pitch)
                                                 : pixels(paint, slot.offset == 0 ? slot.pitch : slot.width);
        // All or none: a row of numbers with gaps in it reads as missing values.
        bool fit = !paint.area.horizontal || room >= height;
        for (std::size_t i = visible.begin; i < visible.end && fit && !paint.area.horizontal; ++i)
            fit = text_size(Type::mono, short_value_text(unit, data.y(i))).x + t.px(6) <= room;
        if (!fit) continue;
        for (std::size_t i = visible.begin; i < visible.end; ++i) {
            if (!data.valid(i)) continue;
            const double value = data.y(i);
            const std::string label = short_value_text(unit, value);
            const glm::vec2 size = text_size(Type::mono, label);
            const double end = to_axis(paint.figure.y.scale, value < 0 ? std::min(value, data.low(i))
                                                                       : std::max(value, data.high(i)));
            const glm::vec2 at =
                paint.area.at(data.axis_x(i) + slot.offset, std::isnan(end) ? data.axis_y(i) : end);
            glm::vec2 position;
            if (paint.area.horizontal)
                position = glm::vec2(value < 0 ? at.x - size.x - t.px(6) : at.x + t.px(6), at.y - height / 2);
            else
                position = glm::vec2(at.x - size.x / 2, value < 0 ? at.y + t.px(3) : at.y - height - t.px(3));
            if (!paint.area.horizontal)
                position.y = clear_of_outlines(paint, i, position.y, height, value < 0);
            const glm::vec2 corner(std::round(position.x), std::round(position.y));
            // The line of a marker stops at a number instead of striking it through.
            if (!paint.figure.markers.empty())
                paint.list->AddRectFilled(glm::vec2(corner.x - t.px(2), corner.y),
                                          glm::vec2(corner.x + size.x + t.px(2), corner.y + height),
                                          t.palette().ground);
            put_text(paint.list, Type::mono, corner, t.palette().text, label);
        }
    }
}

double stack_below(const FigurePaint& paint, std::size_t series, std::size_t i) {
    const double own = paint.state.data[series].y(i);
    double sum = 0;
    for (std::size_t s = 0; s < series; ++s) {
        if (paint.figure.series[s].mark != Mark::stacked_bars || paint.hidden(s)) continue;
        const SeriesData& data = paint.state.data[s];
        // Negative parts stack downwards on their own.
        if (i < data.size() && std::fabs(data.y(i)) <= largest_value && (data.y(i) < 0) == (own < 0))
            sum += data.y(i);
    }
    return sum;
}

}  // namespace gridstride::ui

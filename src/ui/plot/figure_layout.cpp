// Layout of a figure: heights first, then the ranges of the axes, then the width that their labels leave.
#include <algorithm>
#include <cmath>

#include "ui/plot/plot_state.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr float default_height = 240;
constexpr float bar_pitch = 40;  // of horizontal bars: 28 and a gap of 12

Range union_of(Range a, Range b) {
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Range data_x_range(const FigurePaint& paint) {
    Range range = no_range;
    bool bars = false, points = false, few = false;
    for (std::size_t s = 0; s < paint.figure.series.size(); ++s) {
        if (paint.is_hidden(s)) continue;
        Range own = paint.state.data[s].x_range();
        if (!(own.low <= own.high)) continue;
        if (is_bar(paint.figure.series[s].mark)) {
            const double half = bar_slot(paint, s).pitch / 2;
            own = {own.low - half, own.high + half};
            bars = true;
        } else if (paint.figure.series[s].mark == Mark::scatter) {
            points = true;
        }
        few = few || paint.state.data[s].size() <= 64;
        range = union_of(range, own);
    }
    if (!paint.figure.boxes.empty()) {
        range = union_of(range, box_range(paint.figure, true));
        bars = true;
    }
    if (const std::vector<std::string>& names = paint.figure.x.categories; !names.empty() && !points)
        return union_of(range, {-0.5, static_cast<double>(names.size()) - 0.5});
    for (const double value : paint.view.x_values)
        if (const double at = to_axis(paint.figure.x.scale, value); !std::isnan(at)) {
            range = union_of(range, {at, at});
            few = true;
        }
    range = range.low < range.high || !(range.low <= range.high) ? widen(range, false)
                                                                 : Range{range.low - 0.5, range.high + 0.5};
    // Keep points at the edges whole; a line of many samples has no points.
    const double room = bars ? 0 : points ? 0.03 : few ? 0.02 : 0.0;
    return {range.low - room * range.length(), range.high + room * range.length()};
}

Range stacked_range(const FigurePaint& paint) {
    DataRange sums;
    for (const std::size_t s : paint.visible_series(Mark::stacked_bars)) {
        const SeriesData& data = paint.state.data[s];
        for (std::size_t i = 0; i < data.size(); ++i)
            if (std::fabs(data.y(i)) <= max_axis_value) sums.add(stack_base(paint, s, i) + data.y(i));
    }
    if (sums.empty()) return no_range;
    const AxisScale scale = paint.figure.y.scale;
    if (scale == AxisScale::linear) return {sums.low, sums.high};
    return sums.high > 0
               ? Range{to_axis(scale, std::max(sums.low, sums.high * 1e-6)), to_axis(scale, sums.high)}
               : no_range;
}

/// Returns the margin at either end, in axis units, at which a point at the end of the range is fully
/// visible.
double point_margin(double range_length, float pixels) {
    const auto room = static_cast<double>(theme().px(9));
    return range_length * room / std::max(room, static_cast<double>(pixels) - 2 * room);
}

/// Space in pixels beyond the data at either end of the y axis, for numbers at the ends of bars.
struct EndMargins {
    float low = 0, high = 0;
};

/// `length`: of the axis, in pixels.
Range data_y_range(const FigurePaint& paint, float length, EndMargins room) {
    Range range = stacked_range(paint);
    bool bars = range.low <= range.high;
    const bool stacks = bars;
    length = std::max(1.0f, length);
    for (std::size_t s = 0; s < paint.figure.series.size(); ++s) {
        if (paint.is_hidden(s) || paint.figure.series[s].mark == Mark::stacked_bars) continue;
        range = union_of(range, paint.state.data[s].y_range());
        bars = bars || (is_bar(paint.figure.series[s].mark) && paint.state.data[s].size() > 0);
    }
    if (!paint.figure.boxes.empty()) {
        range = union_of(range, box_range(paint.figure, false));
        if (const std::size_t names = paint.figure.y.categories.size(); names > 0)
            range = union_of(range, {-0.5, static_cast<double>(names) - 0.5});
        bars = true;
    }
    const bool logarithmic = paint.figure.y.scale == AxisScale::logarithmic;
    for (const Figure::Marker& marker : paint.figure.markers)
        if (const double at = to_axis(paint.figure.y.scale, marker.x); marker.is_on_y && !std::isnan(at))
            range = union_of(range, {at, at});
    if (!(range.low <= range.high)) return {0, 1};
    if (logarithmic) {
        range = widen(range, false);
        const double full_margin = std::max(0.04 * range.length(), point_margin(range.length(), length));
        return {range.low - (bars ? 0.5 : full_margin),
                range.high + (bars ? 0.04 * range.length() : full_margin)};
    }
    // A line far from zero shows its changes, one near zero its magnitude.
    const bool starts_at_zero = bars || (range.low > 0 && range.low < range.high * 0.5);
    if (starts_at_zero) range = {std::min(0.0, range.low), std::max(0.0, range.high)};
    range = widen(range, starts_at_zero);
    const double full =
        range.length() / (1 - std::min(0.6, static_cast<double>((room.low + room.high) / length)));
    const double per_pixel = full / static_cast<double>(length);
    const double margin = paint.area.is_horizontal && stacks && room.low + room.high == 0 ? 0 : 0.03 * full;
    const auto beyond = [&](double end, float pixels) {
        return starts_at_zero && end == 0 ? 0 : std::max(margin, static_cast<double>(pixels) * per_pixel);
    };
    return {range.low - beyond(range.low, room.low), range.high + beyond(range.high, room.high)};
}

/// Gives x and y the same scale. Returns the right edge of the area.
float apply_equal_scale(PlotArea& area, Range x, Range y) {
    const double width = static_cast<double>(area.height()) * x.length() / y.length();
    return area.max.x = std::min(area.max.x, std::round(area.min.x + static_cast<float>(width)));
}

/// Stacks with their numbers need no value axis.
bool labels_replace_axis(const Figure& figure) {
    if (!figure.is_horizontal || !figure.value_labels) return false;
    return std::ranges::all_of(figure.series, [](const Series& s) { return s.mark == Mark::stacked_bars; });
}

/// Returns true if the numbers fit beside each other when all of x is visible; only then space is reserved
/// for them.
bool labels_fit(FigurePaint& paint, std::size_t series, Range fit_x, float x_length) {
    const Theme& t = theme();
    const SeriesData& data = paint.state.data[series];
    if (static_cast<float>(data.size()) * t.px(10) > x_length) return false;
    if (paint.area.is_horizontal) return true;
    paint.area.x = fit_x;
    const BarSlot slot = bar_slot(paint, series);
    const float room = static_cast<float>(slot.label_room() / fit_x.length()) * x_length;
    const AxisUnit unit = axis_unit(paint.figure.y, data.y_range());
    return max_number_width(data, {0, data.size()}, unit) + t.px(6) <= room;
}

/// Decides which series have numbers at their bars, and returns the space that the numbers need.
EndMargins plan_labels(FigurePaint& paint, Range fit_x, float x_length) {
    const Theme& t = theme();
    EndMargins room;
    std::vector<bool>& has_value_labels = paint.state.has_value_labels;
    has_value_labels.assign(paint.figure.series.size(), false);
    if (!paint.figure.value_labels) return room;
    for (const std::size_t s : paint.visible_series(Mark::bars)) {
        const SeriesData& data = paint.state.data[s];
        if (data.size() == 0 || (paint.view.is_fitted && !labels_fit(paint, s, fit_x, x_length))) continue;
        has_value_labels[s] = true;
        const Range range = data.y_range();
        float along = t.font_size(TextStyle::mono) + t.px(6);
        if (paint.area.is_horizontal) {
            const SampleRange examined_range{0, std::min<std::size_t>(data.size(), 400)};
            along = std::max(
                along, max_number_width(data, examined_range, axis_unit(paint.figure.y, range)) + t.px(10));
        }
        if (range.high >= 0) room.high = std::max(room.high, along);
        if (range.low < 0) room.low = std::max(room.low, along);
    }
    return room;
}

/// Returns the space right of the stacks for a label such as "one thread 0.4 ms", which is needed only if the
/// longest stack has its label beside it.
float stack_label_space(const FigurePaint& paint) {
    if (!labels_replace_axis(paint.figure)) return 0;
    const Theme& t = theme();
    float room = 0;
    const Range all = stacked_range(paint);
    const AxisUnit unit = axis_unit(paint.figure.y, {0, all.high});
    const float length = std::max(1.0f, paint.area.y_length());
    for (const std::size_t s : paint.visible_series(Mark::stacked_bars)) {
        const SeriesData& data = paint.state.data[s];
        for (std::size_t i = 0; i < std::min<std::size_t>(data.size(), 64); ++i) {
            if (!(data.y(i) > 0) || data.y(i) > max_axis_value) continue;
            if (stack_base(paint, s, i) > 0) continue;  // not alone in its row, or with its label inside
            const std::string text = paint.figure.series[s].label + " " + unit_value_text(unit, data.y(i));
            const float width = text_size(TextStyle::note, text).x + t.px(12);
            const auto end = static_cast<float>(data.y(i) / all.high * static_cast<double>(length));
            // How far the label extends beyond the longest stack.
            if (end < width + t.px(4)) room = std::max(room, end + width + t.px(4) - length);
        }
    }
    return room;
}

int target_tick_count(float length, float each) {
    return std::clamp(static_cast<int>(length / theme().px(each)), 3, 12);
}

bool are_powers_of_two(const FigurePaint& paint) {
    if (!paint.view.x_values.empty()) return std::ranges::all_of(paint.view.x_values, is_power_of_two);
    bool any = false;
    for (std::size_t s = 0; s < paint.figure.series.size(); ++s) {
        if (paint.is_hidden(s) || paint.state.data[s].size() == 0) continue;
        if (!paint.state.data[s].are_powers_of_two()) return false;
        any = true;
    }
    return any;
}

/// Removes ticks, with their grid lines, that are too close to the previous one, as on a logarithmic axis.
void remove_close_ticks(std::vector<Tick>& ticks, const PlotArea& area, float min_distance) {
    float last = -1e9f;
    std::erase_if(ticks, [&](const Tick& tick) {
        const float at = area.is_horizontal ? area.along_x(tick.position) : area.along_y(tick.position);
        if (std::fabs(at - last) < min_distance) return true;
        last = at;
        return false;
    });
}

}  // namespace

float max_tick_width(const std::vector<Tick>& ticks, TextStyle type) {
    float width = 0;
    for (const Tick& tick : ticks)
        width = std::max(width, text_size(type, tick.label).x);
    return std::ceil(width);
}

TextStyle tick_type(const Axis& axis) {
    return axis.categories.empty() ? TextStyle::mono : TextStyle::note;
}

FigureLayout lay_out(FigurePaint& paint, PlotView& view, glm::vec2 origin, glm::vec2 size,
                     const std::vector<LegendEntry>& legend) {
    const Theme& t = theme();
    const Figure& figure = paint.figure;
    PlotState& state = paint.state;
    FigureLayout layout;
    PlotArea& area = paint.area;
    area.is_horizontal = figure.is_horizontal;
    const bool has_no_value_axis = labels_replace_axis(figure), horizontal = figure.is_horizontal;
    const Axis& horizontal_axis = horizontal ? figure.y : figure.x;
    const Axis& vertical_axis = horizontal ? figure.x : figure.y;
    const float tick_height = t.font_size(TextStyle::mono);
    layout.x_axis_below = !has_no_value_axis;

    const AxisUnit estimated_unit = axis_unit(horizontal_axis, horizontal ? state.y : state.x);
    const float title_width = text_size(TextStyle::note, axis_title(horizontal_axis, estimated_unit)).x;
    const bool has_horizontal_title = title_width > 0;
    const bool has_vertical_title = !vertical_axis.label.empty() || !vertical_axis.unit.empty();
    const float first_row = size.x - (has_horizontal_title ? title_width + t.px(16) : 0);
    float legend_space = legend.empty() ? 0 : legend_height(legend, size.x, first_row);
    bool title_beside =
        has_horizontal_title && !legend.empty() && !figure.equal_aspect && first_row > size.x * 0.4f;
    if (!title_beside && !legend.empty()) legend_space = legend_height(legend, size.x, size.x);
    layout.first_legend_row = title_beside ? first_row : size.x;
    const float title_space = has_horizontal_title && !title_beside ? t.px(20) : 0;
    // Very small plots drop the words before the data.
    const float top =
        (has_vertical_title ? t.px(22) : 0) + (has_no_value_axis ? 0 : std::ceil(tick_height / 2));
    const float ticks_below = has_no_value_axis ? t.px(4) : tick_height + t.px(10);
    area.min.y = std::round(origin.y + top);
    area.max.y = std::round(origin.y + size.y - legend_space - title_space - ticks_below);
    if (figure.equal_aspect) area.max.y = std::min(area.max.y, area.min.y + size.x - t.px(64));
    if (area.max.y < area.min.y + t.px(24)) area.max.y = area.min.y + t.px(24);
    if (horizontal && !figure.x.categories.empty()) {
        const float content = static_cast<float>(figure.x.categories.size()) * t.px(bar_pitch * max_stretch);
        area.max.y = std::min(area.max.y, area.min.y + content);
    }
    layout.title_top_right =
        glm::vec2(origin.x + size.x, area.max.y + ticks_below + (title_beside ? t.px(4) : 0));
    layout.legend_top = area.max.y + ticks_below + title_space;
    lay_out_differences(paint, area);

    // The vertical axis, then the width that its labels leave for the other.
    area.min.x = origin.x;
    area.max.x = origin.x + size.x;
    layout.fit_x = data_x_range(paint);
    EndMargins room = plan_labels(paint, layout.fit_x, horizontal ? area.height() : area.width() - t.px(64));
    const bool uses_powers_of_two = figure.x.scale == AxisScale::logarithmic && are_powers_of_two(paint);
    const auto lay_out_vertical_axis = [&](Range shown) {
        std::vector<Tick>& ticks = horizontal ? state.x_ticks : state.y_ticks;
        ticks = axis_ticks(vertical_axis, shown, target_tick_count(area.height(), horizontal ? 28.0f : 40.0f),
                           horizontal && uses_powers_of_two);
        float width = std::min(max_tick_width(ticks, tick_type(vertical_axis)), size.x * 0.4f);
        if (state.differences)
            width = std::max(width, max_tick_width(state.differences->ticks, TextStyle::mono));
        area.min.x = std::round(origin.x + (ticks.empty() ? 0 : width + t.px(12)));
        area.max.x = std::round(origin.x + size.x - t.px(has_no_value_axis ? 0.0f : 4.0f));
        if (area.max.x < area.min.x + t.px(24)) area.max.x = area.min.x + t.px(24);
    };
    if (!horizontal) {
        area.x = layout.fit_x;
        room.high += marker_label_space(paint);
    } else {
        lay_out_vertical_axis(view.is_fitted ? layout.fit_x : Range{view.x_min, view.x_max});
        room.high = std::max(room.high, stack_label_space(paint));
    }
    layout.fit_y = data_y_range(paint, area.y_length(), room);
    update_ranges(view, layout.fit_x, layout.fit_y, &area.x, &area.y);
    if (!horizontal) lay_out_vertical_axis(area.y);
    if (figure.equal_aspect) layout.title_top_right.x = apply_equal_scale(area, layout.fit_x, layout.fit_y);
    if (vertical_axis.scale == AxisScale::logarithmic)
        remove_close_ticks(horizontal ? state.x_ticks : state.y_ticks, area,
                           t.font_size(TextStyle::mono) * 1.3f);
    std::vector<Tick>& ticks = horizontal ? state.y_ticks : state.x_ticks;
    ticks.clear();
    if (!has_no_value_axis)
        ticks = axis_ticks(horizontal_axis, horizontal ? area.y : area.x,
                           target_tick_count(area.width(), horizontal ? 72.0f : 56.0f),
                           !horizontal && uses_powers_of_two);
    // Keep a number at the very end of the axis centred under its tick.
    if (view.is_fitted && !figure.equal_aspect && !ticks.empty() && horizontal_axis.categories.empty()) {
        const Tick& last = ticks.back();
        const float end = (horizontal ? area.along_y(last.position) : area.along_x(last.position)) +
                          text_size(tick_type(horizontal_axis), last.label).x / 2;
        const float over = std::ceil(std::max(0.0F, end - (origin.x + size.x)));
        area.max.x = std::max(area.min.x + t.px(24), area.max.x - over);
    }
    if (figure.boxes.empty() &&
        std::ranges::all_of(state.data, [](const SeriesData& d) { return d.size() == 0; })) {
        // Without data, numbers on an axis would be meaningless.
        if (figure.x.categories.empty() && view.x_values.empty()) state.x_ticks.clear();
        state.y_ticks.assign(1, {area.y.low, {}});
    }
    if (state.differences && state.differences->area.height() > 0) {
        state.differences->area.min.x = area.min.x;
        state.differences->area.max.x = area.max.x;
    }
    state.x_title = axis_title(figure.x, axis_unit(figure.x, area.x));
    state.y_title = axis_title(figure.y, axis_unit(figure.y, area.y));
    return layout;
}

void lay_out_small(FigurePaint& paint, const Rect& rect) {
    PlotArea& area = paint.area = {rect, paint.figure.is_horizontal, {}, {}};
    area.x = data_x_range(paint);
    area.y = data_y_range(paint, area.y_length(), {});
    if (paint.figure.equal_aspect) apply_equal_scale(area, area.x, area.y);
}

float natural_height(const Figure& figure, float legend_space) {
    const Theme& t = theme();
    if (!figure.is_horizontal) return t.px(default_height);
    std::size_t rows = figure.x.categories.size();
    for (const Series& series : figure.series)
        if (figure.x.categories.empty())
            rows = std::max(rows, series.y_array ? series.y_array->count() : series.y.size());
    const float axis = labels_replace_axis(figure) ? t.px(4) : t.font_size(TextStyle::mono) * 1.5f + t.px(10);
    const bool titled = !figure.y.label.empty() || !figure.y.unit.empty();
    const float vertical_title = figure.x.label.empty() && figure.x.unit.empty() ? 0 : t.px(22);
    return static_cast<float>(std::clamp<std::size_t>(rows, 1, 24)) * t.px(bar_pitch) + axis +
           vertical_title + std::max(legend_space, titled ? t.px(20) : 0.0f) +
           (legend_space > 0 && titled ? t.px(4) : 0);
}

}  // namespace gridstride::ui

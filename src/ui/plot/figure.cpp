#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/plot/plot_state.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

/// Draws the labels below the plot; every second, third, … if they would overlap.
void draw_ticks_below(const FigurePaint& paint, const std::vector<Tick>& ticks, const Axis& axis, float left,
                      float right) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const TextStyle type = tick_type(axis);
    const auto along = [&](double position) {
        return area.is_horizontal ? area.along_y(position) : area.along_x(position);
    };
    std::size_t every = 1;
    float room = area.width();
    if (ticks.size() > 1) {
        const float pitch = (along(ticks.back().position) - along(ticks.front().position)) /
                            static_cast<float>(ticks.size() - 1);
        // Names may be shortened, numbers may not.
        const bool names = std::ranges::none_of(
            axis.categories, [](const std::string& c) { return !c.empty() && c[0] >= '0' && c[0] <= '9'; });
        float needed_width = max_tick_width(ticks, type);
        if (!axis.categories.empty() && names) needed_width = std::min(needed_width, t.px(44));
        needed_width += t.px(10);
        while (pitch * static_cast<float>(every) < needed_width && every < ticks.size())
            ++every;
        room = pitch * static_cast<float>(every) - t.px(8);
    }
    const auto& differences = paint.state.differences;
    const float y = std::max(area.max.y, differences ? differences->area.max.y : 0) + t.px(6);
    float free_from = left;
    for (std::size_t i = 0; i < ticks.size(); i += every) {
        const float at = along(ticks[i].position);
        std::string label = axis.categories.empty() ? ticks[i].label : elide(type, ticks[i].label, room);
        float width = text_size(type, label).x;
        float x = std::clamp(at - width / 2, left, std::max(left, right - width));
        // A name at an end is moved inwards and must not overlap its neighbour.
        if (!axis.categories.empty() && x < free_from) {
            x = free_from;
            label = elide(type, label, std::max(0.0F, std::min(right, at + room / 2) - x));
            width = text_size(type, label).x;
        }
        draw_plot_text(paint.list, type, glm::vec2(std::round(x), std::round(y)), t.palette().quiet, label);
        free_from = x + width + t.px(8);
    }
}

void draw_ticks_left(const FigurePaint& paint, const std::vector<Tick>& ticks, const Axis& axis, float left) {
    const Theme& t = theme();
    const PlotArea& area = paint.area;
    const TextStyle type = tick_type(axis);
    const float height = t.font_size(type), right = area.min.x - t.px(12);
    float last = -1e9f;
    for (const Tick& tick : ticks) {
        const float at = area.is_horizontal ? area.along_x(tick.position) : area.along_y(tick.position);
        if (std::fabs(at - last) < height) continue;
        if (at < area.min.y - 1 || at > area.max.y + 1) continue;
        last = at;
        const float y = std::round(at - height / 2);
        if (axis.categories.empty())
            draw_plot_text_right(paint.list, type, glm::vec2(right, y), t.palette().quiet, tick.label);
        else
            draw_plot_text(paint.list, type, glm::vec2(left, y), t.palette().quiet,
                           elide(type, tick.label, right - left));
    }
}

void draw_grid(const FigurePaint& paint) {
    const Palette& palette = theme().palette();
    const PlotArea& area = paint.area;
    const float thickness = std::max(1.0f, std::floor(theme().scale()));
    // Boxes lie on the categories, where a grid line would cross them.
    if (!paint.figure.boxes.empty() && !paint.figure.y.categories.empty()) return;
    RectBatch batch(paint.list);
    for (const Tick& tick : paint.state.y_ticks) {
        const float at = std::round(area.along_y(tick.position));
        const bool zero = tick.position == 0 && paint.figure.y.scale == AxisScale::linear && area.y.low < 0;
        const Rect c = area.is_horizontal ? area.corners(area.min.y, area.max.y, at, at + thickness)
                                          : area.corners(area.min.x, area.max.x, at, at + thickness);
        batch.add(c.min, c.max, zero ? mix(palette.line, palette.quiet, 0.6f) : palette.line);
    }
}

void add_hit_readout(const FigurePaint& paint, std::vector<ReadoutLine>& lines) {
    const Hit& hit = *paint.hit;
    const Figure& figure = paint.figure;
    const Series& series = figure.series[hit.series];
    const std::string x = value_text(figure.x, hit.x);
    const bool has_label = figure.x.categories.empty() && !figure.x.label.empty();
    const auto read = [&](double y) { return value_text(figure.y, y); };
    lines.push_back({0, has_label ? figure.x.label + " " + x : x, {}});
    const std::string& name = series.label.empty() ? figure.y.label : series.label;
    lines.push_back({paint.color(hit.series, hit.index, 0), name, read(hit.y)});
    // The readout of a bar includes its outline.
    for (const std::size_t s : paint.visible_series(Mark::outline_bars)) {
        const SeriesData& other = paint.state.data[s];
        if (is_bar(series.mark) && s != hit.series && hit.index < other.size() && other.x(hit.index) == hit.x)
            lines.push_back({paint.state.colors[s], figure.series[s].label, read(other.y(hit.index))});
    }
    const SeriesData& data = paint.state.data[hit.series];
    if (paint.is_wrong(hit.series, hit.index)) {
        const SeriesData& outline = paint.state.data[paint.state.differences->outlines];
        lines.push_back(
            {theme().color(ColorRole::wrong), tr("✗ difference"), read(hit.y - outline.y(hit.index))});
    }
    if (data.has_errors())
        lines.push_back({0, read(data.low(hit.index)) + " \u2026 " + read(data.high(hit.index)), {}});
    if (hit.index < series.notes.size()) lines.push_back({0, series.notes[hit.index], {}});
}

void draw_hover_readout(const FigurePaint& paint, glm::vec2 mouse, std::optional<std::size_t> marker) {
    std::vector<ReadoutLine> lines;
    if (marker) {
        const Figure::Marker& m = paint.figure.markers[*marker];
        const Axis& axis = m.is_on_y ? paint.figure.y : paint.figure.x;
        lines.push_back({0, m.label, value_text(axis, marker_position(paint, m))});
        if (!m.parameter.empty()) lines.push_back({0, tr("Drag it, or use the arrow keys."), {}});
    }
    if (paint.hit) add_hit_readout(paint, lines);
    if (paint.box) add_box_readout(paint.figure, *paint.box, lines);
    lines.push_back(wheel_hint(paint.state));
    draw_readout(lines, mouse);
}

void draw_hit_mark(const FigurePaint& paint) {
    const Hit& hit = *paint.hit;
    if (is_bar(paint.figure.series[hit.series].mark)) return;
    const Theme& t = theme();
    const SeriesData& data = paint.state.data[hit.series];
    const glm::vec2 at = paint.area.at(data.axis_x(hit.index), data.axis_y(hit.index));
    const std::size_t shape = point_shape(paint.figure, hit.series);
    draw_point_shape(paint.list, shape, at, t.px(6.5f), t.palette().ground);
    draw_point_shape(paint.list, shape, at, t.px(5), paint.state.colors[hit.series]);
}

std::vector<LegendEntry> make_legend(const FigurePaint& paint) {
    std::vector<LegendEntry> legend;
    const std::vector<Series>& all = paint.figure.series;
    if (all.size() < 2) return legend;
    for (std::size_t s = 0; s < all.size(); ++s) {
        const Swatch swatch = all[s].mark == Mark::line           ? Swatch::line
                              : all[s].mark == Mark::scatter      ? Swatch::dot
                              : all[s].mark == Mark::outline_bars ? Swatch::outline
                                                                  : Swatch::square;
        legend.push_back(
            {all[s].label, paint.state.colors[s], swatch, paint.is_hidden(s), point_shape(paint.figure, s)});
    }
    const std::optional<Differences>& found = paint.state.differences;
    if (found && found->has_many_bars) {
        LegendEntry& entry = legend[found->outlines];
        entry.label = found->label;
        entry.swatch = Swatch::square;
        entry.color = found->wrong.empty() ? entry.color : theme().color(ColorRole::wrong);
    } else if (found && !found->wrong.empty()) {
        legend.push_back({tr("✗ differs"), theme().color(ColorRole::wrong), Swatch::square, false});
    }
    return legend;
}

void update_data(const FigurePaint& paint) {
    const Figure& figure = paint.figure;
    PlotState& state = paint.state;
    state.data.resize(figure.series.size());
    state.colors.resize(figure.series.size());
    std::size_t free_colors = 0;
    bool changed = false;
    for (std::size_t s = 0; s < figure.series.size(); ++s) {
        changed |= state.data[s].update(figure.series[s], figure.x.scale, figure.y.scale);
        const ColorRole color_role = figure.series[s].color_role;
        state.colors[s] =
            color_role == ColorRole::series ? theme().series_color(free_colors++) : theme().color(color_role);
    }
    find_differences(paint, changed);
}

/// Returns the smallest x range that zooming allows: four samples.
double min_visible_span(const FigurePaint& paint) {
    constexpr double samples = 4;
    double pitch = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < paint.figure.series.size(); ++s)
        if (!paint.is_hidden(s) && paint.state.data[s].size() > 1)
            pitch = std::min(pitch, paint.state.data[s].pitch());
    return std::isfinite(pitch) ? samples * pitch : 0;
}

}  // namespace

void draw_small_figure(const Figure& figure, PlotView& view, const Rect& rect) {
    FigurePaint paint{figure, view, *view.state, {}, ImGui::GetWindowDrawList(), {}, true};
    update_data(paint);
    lay_out_small(paint, rect);
    draw_boxes(paint);
    draw_marker_lines(paint);
    draw_bars(paint);
    draw_stacks(paint);
    draw_lines(paint);
    draw_points(paint);
}

std::optional<MarkerMove> draw_figure(std::string_view id, const Plot& plot, const Figure& figure,
                                      PlotView& view, glm::vec2 size) {
    const Theme& t = theme();
    PlotState& state = *view.state;
    const glm::vec2 origin = ImGui::GetCursorScreenPos();
    FigurePaint paint{figure, view, state, {}, ImGui::GetWindowDrawList(), {}};
    update_data(paint);
    const std::vector<LegendEntry> legend = make_legend(paint);
    if (size.y <= 0)
        size.y = natural_height(figure, legend.empty() ? 0 : legend_height(legend, size.x, size.x));
    const glm::vec2 corner = origin + size;

    FigureLayout layout = lay_out(paint, view, origin, size, legend);
    const glm::vec2 below(corner.x, layout.legend_top);
    const bool waveform =
        std::ranges::any_of(figure.series, [](const Series& s) { return s.y_array != nullptr; });
    std::optional<MarkerMove> marker_move = move_markers(id, paint);
    const Navigation navigation = navigate(id, plot, view,
                                           {.area = paint.area,
                                            .fit_x = layout.fit_x,
                                            .fit_y = layout.fit_y,
                                            .wheel_along_x = waveform,
                                            .min_span_x = min_visible_span(paint)},
                                           origin, below);
    if (navigation.has_changed) layout = lay_out(paint, view, origin, size, legend);
    const PlotArea& area = paint.area;

    const glm::vec2 mouse = ImGui::GetIO().MousePos;
    if (navigation.is_hovered && !state.is_box_zooming) paint.hit = find_hit(paint, mouse);
    // A difference selects its bar.
    if (navigation.over && !paint.hit && !state.is_box_zooming) paint.hit = find_difference(paint, mouse);
    if (navigation.is_hovered && !paint.hit && !state.is_box_zooming) paint.box = find_box(paint, mouse);
    if (paint.box) view.hovered = figure.boxes[*paint.box].highlight_ids;
    state.area = area;
    state.hit = paint.hit;
    draw_grid(paint);
    paint.list->PushClipRect(glm::vec2(area.min.x, area.min.y - 2), glm::vec2(area.max.x, area.max.y + 2),
                             true);
    // Boxes are drawn below the marker lines, other data above.
    if (!figure.boxes.empty()) state.data_vertices.x = paint.list->VtxBuffer.Size;
    draw_boxes(paint);
    draw_marker_lines(paint);
    if (figure.boxes.empty()) state.data_vertices.x = paint.list->VtxBuffer.Size;
    draw_bars(paint);
    draw_stacks(paint);
    draw_lines(paint);
    draw_points(paint);
    draw_errors(paint);
    draw_bar_labels(paint);
    mark_wrong_bars(paint);
    state.data_vertices.y = paint.list->VtxBuffer.Size;
    draw_marker_labels(paint);
    if (paint.hit) draw_hit_mark(paint);
    draw_zoom_box(paint.list, view, area, false);
    paint.list->PopClipRect();
    draw_rings(paint);
    draw_crosses(paint);
    draw_differences(paint);
    draw_fit_button(paint.list, navigation);

    const Axis& horizontal_axis = figure.is_horizontal ? figure.y : figure.x;
    const Axis& vertical_axis = figure.is_horizontal ? figure.x : figure.y;
    draw_ticks_left(paint, figure.is_horizontal ? state.x_ticks : state.y_ticks, vertical_axis, origin.x);
    if (layout.x_axis_below)
        draw_ticks_below(paint, figure.is_horizontal ? state.y_ticks : state.x_ticks, horizontal_axis,
                         origin.x, corner.x);
    const std::string& horizontal_title = figure.is_horizontal ? state.y_title : state.x_title;
    const std::string& vertical_title = figure.is_horizontal ? state.x_title : state.y_title;
    draw_plot_text_right(paint.list, TextStyle::note, layout.title_top_right, t.palette().quiet,
                         elide(TextStyle::note, horizontal_title, size.x));
    if (!vertical_title.empty())
        draw_plot_text(paint.list, TextStyle::note, origin, t.palette().quiet,
                       elide(TextStyle::note, vertical_title, size.x));
    if (!legend.empty()) {
        const auto clicked_series = draw_legend(id, legend, glm::vec2(origin.x, layout.legend_top), size.x,
                                                layout.first_legend_row, true);
        if (clicked_series && *clicked_series < figure.series.size()) {
            view.hidden.resize(figure.series.size(), false);
            view.hidden[*clicked_series] = !view.hidden[*clicked_series];
            request_redraw_within(0);  // the frame was laid out before the click
        }
    }
    const std::optional<std::size_t> marker =
        navigation.is_hovered && !state.is_box_zooming ? find_marker(paint, mouse) : std::nullopt;
    if (paint.hit || paint.box || marker) draw_hover_readout(paint, mouse, marker);
    end_plot(id, origin, size, navigation.is_focused, layout.legend_top);
    return marker_move;
}

}  // namespace gridstride::ui

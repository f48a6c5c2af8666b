#include <algorithm>
#include <cmath>

#include "ui/plot/cells.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr float min_cell_for_gap = 4;  // minimum cell width in pixels for gaps between cells

enum class CellsStyle { lanes, pictures, map };
CellsStyle get_cells_style(const Cells& cells) {
    if (cells.rows.empty()) return CellsStyle::pictures;
    return cells.numbers.empty() ? CellsStyle::lanes : CellsStyle::map;
}

/// Lanes that wait have the background colour of those that work. In a map, cells that are not full show the
/// ground; hatched lanes have their own shade.
std::vector<ImU32> get_kind_colors(const Cells& cells) {
    const Theme& t = theme();
    std::vector<ImU32> colors;
    std::size_t free_colors = 0;
    for (const Cells::Kind& kind : cells.kinds)
        colors.push_back(kind.fill == Cells::Fill::hatched && cells.numbers.empty()
                             ? mix(t.palette().raised, hatch_color(kind.color_role), 0.15F)
                         : kind.fill != Cells::Fill::full       ? t.palette().raised
                         : kind.color_role == ColorRole::quiet  ? t.palette().line
                         : kind.color_role == ColorRole::series ? t.series_color(free_colors++)
                                                                : t.color(kind.color_role));
    return colors;
}

std::vector<LegendEntry> make_legend(const Cells& cells, const std::vector<ImU32>& colors,
                                     const std::vector<PlotHighlight>& rings) {
    const Theme& t = theme();
    std::vector<LegendEntry> legend;
    if (get_cells_style(cells) == CellsStyle::map)
        for (const bool strong : {true, false})
            if (std::ranges::any_of(rings, [&](const PlotHighlight& r) { return r.is_strong == strong; }))
                legend.push_back({strong ? tr("best") : tr("ties with the best"), t.color(ColorRole::kernel),
                                  strong ? Swatch::thick_frame : Swatch::frame});
    for (std::size_t k = 0; k < cells.kinds.size(); ++k) {
        const Cells::Kind& kind = cells.kinds[k];
        const bool hatched = kind.fill == Cells::Fill::hatched;
        if (!kind.label.empty())
            legend.push_back({kind.label, hatched ? hatch_color(kind.color_role) : colors[k],
                              hatched ? Swatch::hatch : Swatch::square});
    }
    return legend;
}

/// The full range of the axes: lanes count cells, a picture has size 1 × 1.
Range full_x_range(const Cells& cells) {
    if (get_cells_style(cells) == CellsStyle::pictures) return {0, 1};
    return {0, std::max(1.0, static_cast<double>(cells.column_count()))};
}
Range full_y_range(const Cells& cells) {
    return {0, get_cells_style(cells) == CellsStyle::map ? static_cast<double>(cells.rows.size()) : 1};
}

void draw_cell_runs(ImDrawList* list, const Cells& cells, CellRuns& runs, const CellsLayout& layout,
                    std::size_t p, const std::vector<ImU32>& colors) {
    const Theme& t = theme();
    const CellsStyle style = get_cells_style(cells);
    const PlotArea& area = layout.areas[p];
    const Range fit_x = full_x_range(cells), fit_y = full_y_range(cells);
    const Range &x = area.x, &y = area.y;
    const double columns = static_cast<double>(cells.column_count(p)) / fit_x.high;
    const double rows = static_cast<double>(cells.row_count(p)) / fit_y.high;
    const float cell = area.width() / static_cast<float>(x.length() * columns);
    const float gap = style == CellsStyle::pictures    ? 0
                      : style == CellsStyle::map       ? 1
                      : cell >= t.px(min_cell_for_gap) ? std::max(1.0f, std::floor(t.scale()))
                      : cell >= min_cell_for_gap       ? 1
                                                       : 0;
    // Rows run down, the y axis up.
    runs.update(cells, {.numbers = p,
                        .region = {x.low * columns, (fit_y.high - y.high) * rows, x.high * columns,
                                   (fit_y.high - y.low) * rows},
                        .pixels = {area.width(), area.height()},
                        .kinds = colors,
                        .not_a_number = t.palette().wrong,
                        .gap = gap});
    const auto place = [&](const CellRuns::Run& run) {
        const float top = area.min.y + run.y0 + layout.label_height;
        const float bottom = style == CellsStyle::lanes
                                 ? top + std::round(layout.height)
                                 : area.min.y + run.y1 - (style == CellsStyle::map ? 1.0F : 0.0F);
        return Rect{{area.min.x + run.x0, top}, {area.min.x + run.x1, bottom}};
    };
    {
        RectBatch batch(list);
        for (const CellRuns::Run& run : runs.runs())
            batch.add(place(run).min, place(run).max, run.color);
    }
    if (style != CellsStyle::lanes) return;
    for (std::size_t k = 0; k < cells.kinds.size(); ++k)
        if (cells.kinds[k].fill == Cells::Fill::hatched)
            for (const CellRuns::Run& run : runs.runs())
                if (run.color == colors[k])
                    draw_hatch(list, place(run), hatch_color(cells.kinds[k].color_role));
}

}  // namespace

float ring_width(bool is_strong) {
    return std::max(1.0F, std::round(theme().px(is_strong ? 3 : 1.5F)));
}

Rect cell_rect(const PlotArea& area, std::size_t row, std::size_t column) {
    // Rounded as CellRuns rounds.
    const glm::dvec2 cell = glm::dvec2(area.size()) / glm::dvec2(area.x.length(), area.y.length());
    const glm::dvec2 at(static_cast<double>(column), static_cast<double>(row));
    return {area.min + glm::vec2(glm::round(at * cell)),
            area.min + glm::vec2(glm::round((at + 1.0) * cell)) - 1.0F};
}

void draw_cells(std::string_view id, const Plot& plot, const Cells& cells, PlotView& view, glm::vec2 size) {
    const Theme& t = theme();
    PlotState& state = *view.state;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const glm::vec2 origin = ImGui::GetCursorScreenPos(), mouse = ImGui::GetIO().MousePos;
    const CellsStyle style = get_cells_style(cells);
    const std::vector<ImU32> colors = get_kind_colors(cells);
    const std::vector<LegendEntry> legend = make_legend(cells, colors, view.rings);
    const float legend_space = legend_height(legend, size.x, size.x);
    CellsLayout layout = style == CellsStyle::lanes      ? lay_out_lanes(cells, origin, size, legend_space)
                         : style == CellsStyle::pictures ? lay_out_pictures(cells, origin, size)
                                                         : lay_out_map(cells, origin, size, legend_space);
    const glm::vec2 corner = origin + layout.size;

    const Range fit_x = full_x_range(cells), fit_y = full_y_range(cells);
    Range x, y;
    update_ranges(view, fit_x, fit_y, &x, &y);
    // During a drag, the picture where it started.
    if (!state.is_held || state.picture >= layout.areas.size()) state.picture = find_picture(layout, mouse.x);
    PlotArea navigated_area;  // empty without pictures
    navigated_area.min = origin;
    navigated_area.max = origin + 1.0f;
    if (!layout.areas.empty()) navigated_area = layout.areas[state.picture];
    navigated_area.x = x;
    navigated_area.y = y;
    const Navigation navigation = navigate(id, plot, view,
                                           {.area = navigated_area,
                                            .fit_x = fit_x,
                                            .fit_y = fit_y,
                                            .is_y_fixed = style == CellsStyle::lanes,
                                            .is_fixed = style == CellsStyle::map,
                                            .min_span_x = style == CellsStyle::lanes ? 4.0 : 0.0},
                                           origin, {corner.x, std::max(layout.legend_top, origin.y + 1)});
    if (navigation.has_changed) {
        if (style == CellsStyle::pictures) keep_proportions(view, cells);
        update_ranges(view, fit_x, fit_y, &x, &y);
    }

    state.cells.resize(layout.areas.size());
    for (std::size_t p = 0; p < layout.areas.size(); ++p) {
        PlotArea& area = layout.areas[p];
        area.x = x;
        area.y = y;
        draw_cell_runs(list, cells, state.cells[p], layout, p, colors);
    }
    state.area = layout.areas.empty() ? navigated_area : layout.areas[state.picture];

    const bool shows_readout = navigation.is_hovered && !state.is_box_zooming;
    const glm::vec2 clip_margin(t.px(4));  // frames and rings extend beyond the cells
    list->PushClipRect(origin - clip_margin, corner + clip_margin, true);
    switch (style) {
        case CellsStyle::lanes:
            draw_lane_labels(list, cells, layout, origin);
            draw_lane_texts(list, cells, layout, colors);
            if (shows_readout) draw_lane_readout(list, cells, layout, mouse, wheel_hint(state));
            break;
        case CellsStyle::pictures:
            draw_picture_edges(list, cells, layout);
            if (shows_readout && !cells.numbers.empty())
                draw_picture_readout(list, cells, layout, state.picture, mouse, wheel_hint(state));
            break;
        case CellsStyle::map:
            update_hovered_cell(cells, state, navigation, mouse);
            draw_map(list, cells, view, navigation, origin, layout.size.x);
            break;
    }
    if (style != CellsStyle::map) draw_zoom_box(list, view, state.area, style == CellsStyle::lanes);
    list->PopClipRect();
    draw_fit_button(list, navigation);
    draw_legend(id, legend, {origin.x, layout.legend_top}, layout.size.x, layout.size.x, false);
    end_plot(id, origin, layout.size, navigation.is_focused && style != CellsStyle::map, layout.legend_top);
}

void draw_small_cells(const Cells& cells, PlotView& view, const Rect& rect) {
    CellsLayout layout = get_cells_style(cells) == CellsStyle::pictures
                             ? lay_out_pictures(cells, rect.min, rect.size())
                             : CellsLayout{.areas = {PlotArea{rect}}};
    if (get_cells_style(cells) == CellsStyle::lanes) {
        // Square cells would be too high if there are few lanes.
        const auto rows = static_cast<float>(cells.rows.size());
        const float pitch = std::min(rect.height() / std::max(1.0F, rows), theme().px(14));
        layout.pitch = pitch;
        layout.height = std::max(1.0F, std::floor(pitch * 0.7F));
        PlotArea& area = layout.areas.front();
        area.min.y = std::round(rect.centre().y - rows * pitch / 2);
        area.max.y = area.min.y + rows * pitch;
    }
    PlotState& state = *view.state;
    state.cells.resize(layout.areas.size());
    for (std::size_t p = 0; p < layout.areas.size(); ++p) {
        layout.areas[p].x = full_x_range(cells);
        layout.areas[p].y = full_y_range(cells);
        draw_cell_runs(ImGui::GetWindowDrawList(), cells, state.cells[p], layout, p, get_kind_colors(cells));
    }
}

}  // namespace gridstride::ui

// A map of cells over two parameters: numbers as shades, cells without a number marked, the best one framed.
#include <algorithm>
#include <cmath>

#include "ui/plot/cells.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr float default_map_height = 280;
constexpr float min_row_height = 24, max_row_height = 40;
constexpr float min_limited_row_height = 3;  ///< minimum row height if the height of the map is limited

AxisUnit get_shade_unit(const Cells& cells) {
    const Cells::Numbers& numbers = cells.numbers.front();
    return axis_unit(cells.shade,
                     {to_axis(cells.shade.scale, numbers.low), to_axis(cells.shade.scale, numbers.high)});
}

bool has_shades(const Cells& cells) {
    return cells.numbers.front().high > 0;
}

/// Offsets below the rows: the title of the columns, the colour bar, the sentence and the legend.
struct MapFooter {
    float title = 0, bar = 0, sentence = 0, legend = 0;
};
MapFooter map_footer(const Cells& cells) {
    const Theme& t = theme();
    const float note = t.line_height(TextStyle::note), mono = t.line_height(TextStyle::mono), gap = t.px(4);
    MapFooter below;
    below.title = mono + gap;
    below.bar = below.title + note + gap;
    below.sentence = below.bar;
    if (has_shades(cells)) below.sentence += std::round(note / 2 + t.px(5)) + t.px(2) + mono + t.px(2);
    below.legend = below.sentence + note;
    return below;
}

std::optional<std::uint8_t> get_cell_kind(const Cells& cells, std::size_t row, std::size_t column) {
    const std::vector<std::uint8_t>& kinds = cells.rows[row].kinds;
    if (column >= kinds.size() || kinds[column] >= cells.kinds.size()) return std::nullopt;
    return kinds[column];
}

/// Draws the number of a cell if it fits, and the mark of a wrong result.
void draw_map_cell(ImDrawList* list, const Cells& cells, const AxisUnit& unit, std::size_t row,
                   std::size_t column, const Rect& rect) {
    const Theme& t = theme();
    const ImU32 raised = t.palette().raised;
    const Cells::Numbers& numbers = cells.numbers.front();
    const double number = numbers.values->number(row * numbers.width + column);
    const std::optional<std::uint8_t> of = get_cell_kind(cells, row, column);
    const Cells::Kind* const kind = of ? &cells.kinds[*of] : nullptr;
    if (kind && kind->fill == Cells::Fill::hatched) draw_hatch(list, rect, hatch_color(kind->color_role));
    if (kind && kind->fill == Cells::Fill::outlined)
        draw_frame(list, rect, t.text_color(kind->color_role), std::max(1.0F, std::round(t.px(2))));
    // Without any right number the unit is unknown.
    const bool is_number = std::isfinite(number) && has_shades(cells);
    const std::string sign = !kind || kind->color_role != ColorRole::wrong ? "" : is_number ? "✗ " : "✗";
    std::string words = sign;
    if (is_number) {
        words += short_value_text(unit, number);
        if (text_size(TextStyle::mono, words).x + t.px(4) > rect.width())
            words = sign + short_value_text(unit, number, 2);
    }
    const glm::vec2 size = text_size(TextStyle::mono, words);
    if (words.empty() || size.x + t.px(4) > rect.width() || size.y > rect.height()) return;
    const glm::vec2 at = glm::round(rect.centre() - size * 0.5F);
    if (kind)
        list->AddRectFilled({at.x - t.px(2), at.y}, {at.x + size.x + t.px(2), at.y + size.y},
                            with_style_alpha(raised));
    const ImU32 fill = shade_color(cells.shades, to_shade(cells, numbers, number));
    draw_text(list, TextStyle::mono, at, kind ? t.text_color(kind->color_role) : t.text_on(fill), words);
}

void draw_map_labels(ImDrawList* list, const Cells& cells, const PlotArea& area, glm::vec2 origin) {
    const Theme& t = theme();
    const ImU32 quiet = t.palette().quiet;
    const float line = t.line_height(TextStyle::mono), width = area.max.x - origin.x;
    // Labels only every n-th row or column if they would overlap.
    const auto every = [](float min_spacing, float pitch, std::size_t count) {
        std::size_t n = 1;
        while (static_cast<float>(n) * pitch < min_spacing && n < count)
            ++n;
        return n;
    };
    const std::size_t rows = cells.rows.size(), columns = cells.column_count();
    const std::size_t every_row = every(line, area.height() / static_cast<float>(rows), rows);
    const float right = area.min.x - t.px(8);
    for (std::size_t below = 0; below < rows; below += every_row) {
        const std::size_t row = rows - 1 - below;
        const float middle = cell_rect(area, row, 0).centre().y;
        draw_text_right(list, TextStyle::mono, {right, std::round(middle - line / 2)}, quiet,
                        elide(TextStyle::mono, cells.rows[row].label, right - origin.x));
    }
    const std::vector<std::string>& names = cells.x.categories;
    const std::size_t every_column = every(max_text_width(TextStyle::mono, names) + t.px(10),
                                           area.width() / static_cast<float>(columns), columns);
    for (std::size_t column = 0; column < names.size(); column += every_column) {
        const float name_width = text_size(TextStyle::mono, names[column]).x;
        const float x = std::clamp(cell_rect(area, 0, column).centre().x - name_width / 2, origin.x,
                                   std::max(origin.x, area.max.x - name_width));
        draw_text(list, TextStyle::mono, {std::round(x), area.max.y + t.px(3)}, quiet, names[column]);
    }
    draw_text(list, TextStyle::note, origin, quiet, elide(TextStyle::note, cells.y.label, width));
    draw_text_right(list, TextStyle::note, {area.max.x, area.max.y + map_footer(cells).title}, quiet,
                    elide(TextStyle::note, cells.x.label, width));
}

void draw_shades(ImDrawList* list, const Cells& cells, const AxisUnit& unit, glm::vec2 below, float width) {
    const Theme& t = theme();
    const ImU32 quiet = t.palette().quiet;
    const MapFooter at = map_footer(cells);
    if (!has_shades(cells)) {
        draw_text(list, TextStyle::note, {below.x, below.y + at.sentence}, quiet,
                  tr("The colours appear with the first correct number."));
        return;
    }
    const std::string title = axis_title(cells.shade, unit);
    const float y = below.y + at.bar;
    draw_text(list, TextStyle::note, {below.x, y}, quiet, title);
    const float left = below.x + text_size(TextStyle::note, title).x + t.px(12);
    const float bar = std::min(t.px(240), std::max(t.px(80), below.x + width - left));
    const float top = std::round(y + std::round(t.line_height(TextStyle::note) / 2 - t.px(5)));
    const float scale_height = std::round(t.px(10));
    constexpr int shades = 64;
    for (int i = 0; i < shades; ++i) {
        const float x0 = std::floor(left + bar * static_cast<float>(i) / shades);
        const float x1 = std::floor(left + bar * static_cast<float>(i + 1) / shades);
        list->AddRectFilled(
            {x0, top}, {x1, top + scale_height},
            with_style_alpha(shade_color(cells.shades, static_cast<double>(i) / (shades - 1))));
    }
    const Cells::Numbers& numbers = cells.numbers.front();
    const AxisScale scale = cells.shade.scale;
    const std::string low = short_value_text(unit, numbers.low), last = short_value_text(unit, numbers.high);
    const std::string middle = short_value_text(
        unit, from_axis(scale, (to_axis(scale, numbers.low) + to_axis(scale, numbers.high)) / 2));
    const float under = top + scale_height + t.px(2), label_width = text_size(TextStyle::mono, middle).x;
    draw_text(list, TextStyle::mono, {left, under}, quiet, low);
    if (text_size(TextStyle::mono, low).x + text_size(TextStyle::mono, last).x + label_width + t.px(24) < bar)
        draw_text(list, TextStyle::mono, {std::round(left + (bar - label_width) / 2), under}, quiet, middle);
    draw_text_right(list, TextStyle::mono, {left + bar, under}, quiet, last);
    draw_text(list, TextStyle::note, {below.x, below.y + at.sentence}, quiet,
              elide(TextStyle::note, numbers.label, width));
}

}  // namespace

float max_text_width(TextStyle type, const std::vector<std::string>& words) {
    float width = 0;
    for (const std::string& word : words)
        width = std::max(width, text_size(type, word).x);
    return width;
}

ImU32 hatch_color(ColorRole color_role) {
    const Theme& t = theme();
    return color_role == ColorRole::quiet ? mix(t.palette().line, t.palette().quiet, 0.35F)
                                          : t.color(color_role);
}

CellsLayout lay_out_map(const Cells& cells, glm::vec2 origin, glm::vec2 size, float legend) {
    const Theme& t = theme();
    CellsLayout layout;
    float labels = 0;
    for (const Cells::Row& row : cells.rows)
        labels = std::max(labels, text_size(TextStyle::mono, row.label).x);
    PlotArea area;
    area.min.x = std::floor(origin.x + std::min(labels, size.x * 0.25F) + t.px(10));
    area.min.y = std::floor(origin.y + t.line_height(TextStyle::note) + t.px(4));
    const auto rows = static_cast<float>(cells.rows.size());
    float row =
        std::round(std::clamp(t.px(default_map_height) / rows, t.px(min_row_height), t.px(max_row_height)));
    const float below = map_footer(cells).legend + legend;
    const float room = origin.y + size.y - area.min.y - below;
    // Within a pixel, given its own natural height, the map keeps it.
    if (size.y > 0 && room + 1 < row * rows) row = std::max(t.px(min_limited_row_height), room / rows);
    area.max = {origin.x + size.x, area.min.y + std::floor(row * rows)};
    layout.legend_top = area.max.y + map_footer(cells).legend;
    layout.size = {size.x, area.max.y + below - origin.y};
    layout.areas = {area};
    return layout;
}

void update_hovered_cell(const Cells& cells, PlotState& state, const Navigation& navigation,
                         glm::vec2 mouse) {
    const std::size_t rows = cells.rows.size(), columns = cells.column_count();
    std::size_t &column = state.key_column, &row = state.key_row;  // row 0 is the lowest
    if (navigation.is_focused) {
        if (is_plain_key_pressed(Key::right, true)) ++column;
        if (is_plain_key_pressed(Key::left, true) && column > 0) --column;
        if (is_plain_key_pressed(Key::up, true)) ++row;
        if (is_plain_key_pressed(Key::down, true) && row > 0) --row;
    }
    column = std::min(column, columns - 1);
    row = std::min(row, rows - 1);
    state.hit.reset();
    if (navigation.is_hovered) {
        const double x = state.area.x_under(mouse), y = state.area.y_under(mouse);
        state.hit = Hit{rows - 1 - std::min(rows - 1, static_cast<std::size_t>(std::max(0.0, y))),
                        std::min(columns - 1, static_cast<std::size_t>(std::max(0.0, x))), x, y};
        state.hit_position = mouse;
    } else if (navigation.is_focused) {
        state.hit = Hit{rows - 1 - row, column, static_cast<double>(column), static_cast<double>(row)};
        state.hit_position = cell_rect(state.area, rows - 1 - row, column).centre();
    }
    state.was_hit_clicked = navigation.was_clicked && state.hit.has_value();
}

void draw_map(ImDrawList* list, const Cells& cells, const PlotView& view, const Navigation& navigation,
              glm::vec2 origin, float width) {
    const Theme& t = theme();
    const PlotState& state = *view.state;
    const AxisUnit unit = get_shade_unit(cells);
    for (std::size_t row = 0; row < cells.rows.size(); ++row)
        for (std::size_t column = 0; column < cells.column_count(); ++column) {
            const Rect rect = cell_rect(state.area, row, column);
            if (ImGui::IsRectVisible(rect.min, rect.max)) draw_map_cell(list, cells, unit, row, column, rect);
        }
    for (const PlotHighlight& ring : view.rings) {
        const Rect rect = cell_rect(state.area, ring.series, ring.index);
        draw_frame(list, rect, t.color(ColorRole::kernel), ring_width(ring.is_strong));
        if (!ring.is_strong) continue;
        const float corner = std::round(t.px(10));
        list->AddTriangleFilled(rect.min, {rect.min.x + corner, rect.min.y},
                                {rect.min.x, rect.min.y + corner},
                                with_style_alpha(t.color(ColorRole::kernel)));
    }
    if (navigation.is_focused)
        draw_focus_ring(cell_rect(state.area, cells.rows.size() - 1 - state.key_row, state.key_column), 0);
    if (navigation.is_hovered && state.hit) {
        const Cells::Numbers& numbers = cells.numbers.front();
        const double number = numbers.values->number(state.hit->series * numbers.width + state.hit->index);
        draw_frame(list, cell_rect(state.area, state.hit->series, state.hit->index),
                   t.text_on(shade_color(cells.shades, to_shade(cells, numbers, number))), 1);
    }
    draw_map_labels(list, cells, state.area, origin);
    draw_shades(list, cells, unit, {origin.x, state.area.max.y}, width);
}

}  // namespace gridstride::ui

#include "ui/sweep_map_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/imgui_compat.h"
#include "ui/plot/plot_state.h"
#include "ui/widget_item.h"
#include "ui/widgets.h"

namespace gridstride::ui {

namespace {

constexpr float least_cell_height = 24;
constexpr float most_cell_height = 40;
constexpr float wanted_height = 280;

/// Where everything stands, in pixels.
struct MapLayout {
    ImVec2 origin;  ///< of the cells: the upper left corner
    ImVec2 cell;    ///< size with the line that parts it from the next
    std::size_t columns = 0, rows = 0;
    float bottom = 0;

    ImRect rect(std::size_t column, std::size_t row) const {
        // The lowest row is the first.
        const float x0 = std::floor(origin.x + cell.x * static_cast<float>(column));
        const float x1 = std::floor(origin.x + cell.x * static_cast<float>(column + 1));
        const float y0 = std::floor(origin.y + cell.y * static_cast<float>(rows - 1 - row));
        const float y1 = std::floor(origin.y + cell.y * static_cast<float>(rows - row));
        return {x0, y0, x1 - 1, y1 - 1};
    }
};

float widest_label(const std::vector<std::string>& labels) {
    float width = 0;
    for (const std::string& label : labels)
        width = std::max(width, text_size(Type::mono, label).x);
    return width;
}

MapLayout lay_out(const SweepMap& map, ImVec2 start, float width) {
    const Theme& t = theme();
    MapLayout layout;
    layout.columns = map.x_labels.size();
    layout.rows = map.y_labels.size();
    const float left = std::min(widest_label(map.y_labels), width * 0.25F) + t.px(10);
    layout.origin = {std::floor(start.x + left), std::floor(start.y + t.line_height(Type::note) + t.px(4))};
    layout.cell.x = (start.x + width - layout.origin.x) / static_cast<float>(layout.columns);
    layout.cell.y = std::round(std::clamp(t.px(wanted_height) / static_cast<float>(layout.rows),
                                          t.px(least_cell_height), t.px(most_cell_height)));
    layout.bottom = layout.origin.y + layout.cell.y * static_cast<float>(layout.rows);
    return layout;
}

/// The frame of the best cell stands inside it, so that neighbours hide none of it.
void draw_frame(ImDrawList* list, const ImRect& rect, ImU32 color, float thick) {
    ImRect inner = rect;
    inner.Expand(-std::floor(thick / 2));
    list->AddRect(inner.Min, inner.Max, shown(color), 0, 0, thick);
}

void draw_cell(const SweepMap& map, const SweepMap::Cell& cell, const ImRect& rect) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool measured = cell.state == lab::CellState::done;
    const ImU32 fill = measured && cell.right ? viridis(map.shade(cell.cost)) : palette.raised;
    list->AddRectFilled(rect.Min, rect.Max, shown(fill));
    std::string words = cell.text;
    if (text_size(Type::mono, words).x + t.px(4) > rect.GetWidth()) words = cell.short_text;
    if (measured && !cell.right) words = "✗ " + words;
    if (cell.state == lab::CellState::refused || cell.state == lab::CellState::failed ||
        (measured && !cell.right))
        draw_hatch(list, rect.Min, rect.Max,
                   cell.state == lab::CellState::refused ? mix(palette.line, palette.quiet, 0.35F)
                                                         : t.color(Ink::wrong));
    if (cell.state == lab::CellState::failed) words = "✗";
    const ImU32 ink = measured && cell.right ? t.text_on(fill) : t.as_text(Ink::wrong);
    const ImVec2 size = text_size(Type::mono, words);
    if (!words.empty() && size.x + t.px(4) <= rect.GetWidth() && size.y <= rect.GetHeight()) {
        const ImVec2 at(std::round(rect.GetCenter().x - size.x / 2),
                        std::round(rect.GetCenter().y - size.y / 2));
        if (!cell.right)
            list->AddRectFilled({at.x - t.px(2), at.y}, {at.x + size.x + t.px(2), at.y + size.y},
                                shown(palette.raised));
        draw_text(list, Type::mono, at, ink, words);
    }
    if (cell.state == lab::CellState::running)
        draw_frame(list, rect, t.as_text(Ink::upload), std::max(1.0F, std::round(t.px(2))));
    if (cell.best || cell.tie) {
        // A dark and a bright line: one of them shows on every colour.
        const float thick = std::max(1.0F, std::round(t.px(cell.best ? 3 : 1.5F)));
        draw_frame(list, rect, t.color(Ink::kernel), thick);
        if (cell.best) {
            const float corner = std::round(t.px(10));
            list->AddTriangleFilled(rect.Min, {rect.Min.x + corner, rect.Min.y},
                                    {rect.Min.x, rect.Min.y + corner}, shown(t.color(Ink::kernel)));
        }
    }
}

void draw_labels(const SweepMap& map, const MapLayout& layout, float left, float right) {
    const Theme& t = theme();
    const ImU32 quiet = t.palette().quiet;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float line = t.line_height(Type::mono);
    for (std::size_t row = 0; row < layout.rows; ++row) {
        const ImRect rect = layout.rect(0, row);
        draw_text_right(list, Type::mono,
                        {layout.origin.x - t.px(8), std::round(rect.GetCenter().y - line / 2)}, quiet,
                        elide(Type::mono, map.y_labels[row], layout.origin.x - t.px(8) - left));
    }
    // Every second, third … where they would touch.
    const float widest = widest_label(map.x_labels) + t.px(10);
    std::size_t every = 1;
    while (static_cast<float>(every) * layout.cell.x < widest && every < layout.columns)
        ++every;
    for (std::size_t column = 0; column < layout.columns; column += every) {
        const ImRect rect = layout.rect(column, 0);
        const float width = text_size(Type::mono, map.x_labels[column]).x;
        const float x = std::clamp(rect.GetCenter().x - width / 2, left, std::max(left, right - width));
        draw_text(list, Type::mono, {std::round(x), layout.bottom + t.px(3)}, quiet, map.x_labels[column]);
    }
}

/// The scale of the colours with its unit, then what the marks mean.
float draw_legend_row(const SweepMap& map, ImVec2 at, float width) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float line = t.line_height(Type::note);
    if (!map.any()) {
        draw_text(list, Type::note, at, palette.quiet, "The colours come with the first time.");
        return line;
    }
    const float title = text_size(Type::note, map.unit).x;
    draw_text(list, Type::note, at, palette.quiet, map.unit);
    const float bar_left = at.x + title + t.px(12);
    const float bar_width = std::min(t.px(240), std::max(t.px(80), at.x + width - bar_left));
    const float bar_top = std::round(at.y + line / 2 - t.px(5)), bar_height = std::round(t.px(10));
    constexpr int shades = 64;
    for (int i = 0; i < shades; ++i) {
        const float x0 = std::floor(bar_left + bar_width * static_cast<float>(i) / shades);
        const float x1 = std::floor(bar_left + bar_width * static_cast<float>(i + 1) / shades);
        list->AddRectFilled({x0, bar_top}, {x1, bar_top + bar_height},
                            shown(viridis(static_cast<float>(i) / (shades - 1))));
    }
    const float under = bar_top + bar_height + t.px(2);
    draw_text(list, Type::mono, {bar_left, under}, palette.quiet, map.low_text);
    const float middle = text_size(Type::mono, map.middle_text).x;
    const float ends = text_size(Type::mono, map.low_text).x + text_size(Type::mono, map.high_text).x;
    if (ends + middle + t.px(24) < bar_width)
        draw_text(list, Type::mono, {std::round(bar_left + (bar_width - middle) / 2), under}, palette.quiet,
                  map.middle_text);
    draw_text_right(list, Type::mono, {bar_left + bar_width, under}, palette.quiet, map.high_text);
    const float below = under + t.line_height(Type::mono) + t.px(2);
    const char* scale = map.of_several_variants
                            ? "The colours are logarithmic, from this variant's fastest to its slowest."
                            : "The colours are logarithmic, from the fastest to the slowest.";
    draw_text(list, Type::note, {at.x, below}, palette.quiet, elide(Type::note, scale, width));
    return below + line - at.y;
}

/// Swatches with words, wrapped: only of what the map shows.
float draw_marks(const SweepMap& map, ImVec2 at, float width) {
    const Theme& t = theme();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float line = t.line_height(Type::note), box = std::round(t.px(12));
    ImVec2 cursor = at;
    const auto add = [&](bool any, const char* words, const auto& draw) {
        if (!any) return;
        const float wide = box + t.px(6) + text_size(Type::note, words).x;
        if (cursor.x > at.x && cursor.x + wide > at.x + width) cursor = {at.x, cursor.y + line};
        const float top = std::round(cursor.y + (line - box) / 2);
        const ImRect rect(cursor.x, top, cursor.x + box, top + box);
        list->AddRectFilled(rect.Min, rect.Max, shown(t.palette().raised));
        draw(rect);
        draw_text(list, Type::note, {rect.Max.x + t.px(6), cursor.y}, t.palette().quiet, words);
        cursor.x += wide + t.px(16);
    };
    const auto any = [&](const auto& is) { return std::any_of(map.cells.begin(), map.cells.end(), is); };
    const ImU32 frame = t.color(Ink::kernel);
    add(any([](const SweepMap::Cell& c) { return c.best; }), "best",
        [&](const ImRect& rect) { draw_frame(list, rect, frame, std::max(1.0F, std::round(t.px(3)))); });
    add(any([](const SweepMap::Cell& c) { return c.tie; }), "ties with the best",
        [&](const ImRect& rect) { draw_frame(list, rect, frame, std::max(1.0F, std::round(t.px(1.5F)))); });
    add(any([](const SweepMap::Cell& c) { return c.state == lab::CellState::refused; }), "refused",
        [&](const ImRect& rect) {
            draw_hatch(list, rect.Min, rect.Max, mix(t.palette().line, t.palette().quiet, 0.35F));
        });
    add(any([](const SweepMap::Cell& c) {
            return c.state == lab::CellState::failed || (c.state == lab::CellState::done && !c.right);
        }),
        "✗ failed or wrong",
        [&](const ImRect& rect) { draw_hatch(list, rect.Min, rect.Max, t.color(Ink::wrong)); });
    add(any([](const SweepMap::Cell& c) { return c.state == lab::CellState::pending; }), "still to come",
        [](const ImRect&) {});
    return cursor.x == at.x ? cursor.y - at.y : cursor.y + line - at.y;
}

/// The cell that the arrow keys stand on, by map.
struct KeyCursor {
    ImGuiID map = 0;
    std::size_t column = 0, row = 0;
};

KeyCursor& key_cursor(ImGuiID map, const MapLayout& layout) {
    static KeyCursor cursor;
    if (cursor.map != map) cursor = {map, 0, 0};
    cursor.column = std::min(cursor.column, layout.columns - 1);
    cursor.row = std::min(cursor.row, layout.rows - 1);
    return cursor;
}

void move_by_keys(KeyCursor& cursor, const MapLayout& layout) {
    if (plain_key_pressed(Key::right, true)) cursor.column = std::min(cursor.column + 1, layout.columns - 1);
    if (plain_key_pressed(Key::left, true) && cursor.column > 0) --cursor.column;
    if (plain_key_pressed(Key::up, true)) cursor.row = std::min(cursor.row + 1, layout.rows - 1);
    if (plain_key_pressed(Key::down, true) && cursor.row > 0) --cursor.row;
}

}  // namespace

void draw_hatch(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 color) {
    const float step = std::max(3.0F, std::round(theme().px(6)));
    list->PushClipRect(min, max, true);
    const float height = max.y - min.y;
    for (float x = min.x - height; x < max.x; x += step)
        list->AddLine({x, max.y}, {x + height, min.y}, shown(color), std::max(1.0F, theme().scale()));
    list->PopClipRect();
}

MapTouch draw_sweep_map(std::string_view id, const SweepMap& map, float width) {
    const Theme& t = theme();
    const ImVec2 start = ImFloor(ImGui::GetCursorScreenPos());
    const MapLayout layout = lay_out(map, start, width);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(list, Type::note, start, t.palette().quiet, elide(Type::note, map.y_title, width));

    const ImRect cells(layout.origin, {start.x + width, layout.bottom});
    const ImGuiID key = item_id(id);
    const Item item = interact(key, cells, cells, {.takes_arrows = true});
    KeyCursor& cursor = key_cursor(key, layout);
    if (item.focused) move_by_keys(cursor, layout);
    MapTouch touch;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    for (std::size_t row = 0; row < layout.rows; ++row)
        for (std::size_t column = 0; column < layout.columns; ++column) {
            const SweepMap::Cell& cell = map.cells[row * layout.columns + column];
            const ImRect rect = layout.rect(column, row);
            register_widget(fmt::format("{}.{}.{}", id, column, row), "cell", rect.Min, rect.Max,
                            cell.best ? "best " + cell.text : cell.text);
            if (!ImGui::IsRectVisible(rect.Min, rect.Max)) continue;
            draw_cell(map, cell, rect);
            const bool by_keys = item.focused && cursor.column == column && cursor.row == row;
            const bool by_mouse = item.hovered && rect.Contains(mouse);
            if (by_keys) draw_focus_ring(rect, 0);
            if (by_mouse) {
                draw_frame(list, rect, t.text_on(viridis(map.shade(cell.cost))), 1);
                touch.pointed = cell.cell;
            } else if (by_keys && !touch.pointed) {
                touch.pointed = cell.cell;
            }
        }
    touch.chosen = item.clicked && touch.pointed.has_value();
    draw_labels(map, layout, start.x, start.x + width);

    float y = layout.bottom + t.line_height(Type::mono) + t.px(4);
    draw_text_right(list, Type::note, {start.x + width, y}, t.palette().quiet,
                    elide(Type::note, map.x_title, width));
    y += t.line_height(Type::note) + t.px(4);
    y += draw_legend_row(map, {start.x, y}, width) + t.px(4);
    y += draw_marks(map, {start.x, y}, width);
    ImGui::SetCursorScreenPos(start);
    ImGui::ItemSize(ImVec2(width, y - start.y));
    return touch;
}

}  // namespace gridstride::ui

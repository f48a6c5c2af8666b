#include "ui/panels/sweep_map_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "ui/plot/plot_state.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

constexpr float least_cell_height = 24;
constexpr float lowest_cell = 3;  ///< where the map must not be higher than it is told
constexpr float most_cell_height = 40;
constexpr float wanted_height = 280;

/// Where everything stands, in pixels.
struct MapLayout {
    glm::vec2 origin;  ///< of the cells: the upper left corner
    glm::vec2 cell;    ///< size with the line that parts it from the next
    std::size_t columns = 0, rows = 0;
    float bottom = 0;

    Rect rect(std::size_t column, std::size_t row) const {
        // The lowest row is the first.
        const float x0 = std::floor(origin.x + cell.x * static_cast<float>(column));
        const float x1 = std::floor(origin.x + cell.x * static_cast<float>(column + 1));
        const float y0 = std::floor(origin.y + cell.y * static_cast<float>(rows - 1 - row));
        const float y1 = std::floor(origin.y + cell.y * static_cast<float>(rows - row));
        return {{x0, y0}, {x1 - 1, y1 - 1}};
    }
};

float widest_label(const std::vector<std::string>& labels) {
    float width = 0;
    for (const std::string& label : labels)
        width = std::max(width, text_size(Type::mono, label).x);
    return width;
}

/// The frame of the best cell stands inside it, so that neighbours hide none of it.
void draw_frame(ImDrawList* list, const Rect& rect, ImU32 color, float thick) {
    const Rect inner = rect.expanded(glm::vec2(-std::floor(thick / 2)));
    list->AddRect(inner.min, inner.max, shown(color), 0, 0, thick);
}

float best_frame(bool best) {
    return std::max(1.0F, std::round(theme().px(best ? 3 : 1.5F)));
}

ImU32 refused_hatch() {
    return mix(theme().palette().line, theme().palette().quiet, 0.35F);
}

void draw_cell(const SweepMap& map, const SweepMap::Cell& cell, const Rect& rect) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool measured = cell.state == CellState::done;
    const ImU32 fill = measured && cell.right ? viridis(map.shade(cell.cost)) : palette.raised;
    list->AddRectFilled(rect.min, rect.max, shown(fill));
    std::string words = cell.text;
    if (text_size(Type::mono, words).x + t.px(4) > rect.width()) words = cell.short_text;
    if (measured && !cell.right) words = "✗ " + words;
    if (cell.state == CellState::refused || cell.state == CellState::failed || (measured && !cell.right))
        draw_hatch(list, rect.min, rect.max,
                   cell.state == CellState::refused ? refused_hatch() : t.color(Ink::wrong));
    if (cell.state == CellState::failed) words = "✗";
    const ImU32 ink = measured && cell.right ? t.text_on(fill) : t.as_text(Ink::wrong);
    const glm::vec2 size = text_size(Type::mono, words);
    if (!words.empty() && size.x + t.px(4) <= rect.width() && size.y <= rect.height()) {
        const glm::vec2 at(std::round(rect.centre().x - size.x / 2),
                           std::round(rect.centre().y - size.y / 2));
        if (!cell.right)
            list->AddRectFilled({at.x - t.px(2), at.y}, {at.x + size.x + t.px(2), at.y + size.y},
                                shown(palette.raised));
        draw_text(list, Type::mono, at, ink, words);
    }
    if (cell.state == CellState::running)
        draw_frame(list, rect, t.as_text(Ink::upload), std::max(1.0F, std::round(t.px(2))));
    if (cell.best || cell.tie) {
        // A dark and a bright line: one of them shows on every colour.
        draw_frame(list, rect, t.color(Ink::kernel), best_frame(cell.best));
        if (cell.best) {
            const float corner = std::round(t.px(10));
            list->AddTriangleFilled(rect.min, {rect.min.x + corner, rect.min.y},
                                    {rect.min.x, rect.min.y + corner}, shown(t.color(Ink::kernel)));
        }
    }
}

void draw_labels(const SweepMap& map, const MapLayout& layout, float left, float right) {
    const Theme& t = theme();
    const ImU32 quiet = t.palette().quiet;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float line = t.line_height(Type::mono);
    std::size_t every_row = 1;
    while (static_cast<float>(every_row) * layout.cell.y < line && every_row < layout.rows)
        ++every_row;
    for (std::size_t row = 0; row < layout.rows; row += every_row) {
        const Rect rect = layout.rect(0, row);
        draw_text_right(list, Type::mono, {layout.origin.x - t.px(8), std::round(rect.centre().y - line / 2)},
                        quiet, elide(Type::mono, map.y_labels[row], layout.origin.x - t.px(8) - left));
    }
    // Every second, third … where they would touch.
    const float widest = widest_label(map.x_labels) + t.px(10);
    std::size_t every = 1;
    while (static_cast<float>(every) * layout.cell.x < widest && every < layout.columns)
        ++every;
    for (std::size_t column = 0; column < layout.columns; column += every) {
        const Rect rect = layout.rect(column, 0);
        const float width = text_size(Type::mono, map.x_labels[column]).x;
        const float x = std::clamp(rect.centre().x - width / 2, left, std::max(left, right - width));
        draw_text(list, Type::mono, {std::round(x), layout.bottom + t.px(3)}, quiet, map.x_labels[column]);
    }
}

/// Where the parts of the legend stand below its upper edge.
struct LegendRow {
    float bar_top = 0, numbers = 0, sentence = 0, height = 0;
};
LegendRow legend_row(const SweepMap& map) {
    const Theme& t = theme();
    const float line = t.line_height(Type::note);
    LegendRow row;
    row.height = line;
    if (!map.any()) return row;
    row.bar_top = std::round(line / 2 - t.px(5));
    row.numbers = row.bar_top + std::round(t.px(10)) + t.px(2);
    row.sentence = row.numbers + t.line_height(Type::mono) + t.px(2);
    row.height = row.sentence + line;
    return row;
}

/// The scale of the colours with its unit.
void draw_legend_row(const SweepMap& map, glm::vec2 at, float width) {
    const Theme& t = theme();
    const Palette& palette = t.palette();
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (!map.any()) {
        draw_text(list, Type::note, at, palette.quiet, "The colours come with the first time.");
        return;
    }
    const LegendRow row = legend_row(map);
    const float title = text_size(Type::note, map.unit).x;
    draw_text(list, Type::note, at, palette.quiet, map.unit);
    const float bar_left = at.x + title + t.px(12);
    const float bar_width = std::min(t.px(240), std::max(t.px(80), at.x + width - bar_left));
    const float bar_top = std::round(at.y + row.bar_top), bar_height = std::round(t.px(10));
    constexpr int shades = 64;
    for (int i = 0; i < shades; ++i) {
        const float x0 = std::floor(bar_left + bar_width * static_cast<float>(i) / shades);
        const float x1 = std::floor(bar_left + bar_width * static_cast<float>(i + 1) / shades);
        list->AddRectFilled({x0, bar_top}, {x1, bar_top + bar_height},
                            shown(viridis(static_cast<float>(i) / (shades - 1))));
    }
    const float under = at.y + row.numbers;
    draw_text(list, Type::mono, {bar_left, under}, palette.quiet, map.low_text);
    const float middle = text_size(Type::mono, map.middle_text).x;
    const float ends = text_size(Type::mono, map.low_text).x + text_size(Type::mono, map.high_text).x;
    if (ends + middle + t.px(24) < bar_width)
        draw_text(list, Type::mono, {std::round(bar_left + (bar_width - middle) / 2), under}, palette.quiet,
                  map.middle_text);
    draw_text_right(list, Type::mono, {bar_left + bar_width, under}, palette.quiet, map.high_text);
    const char* scale = map.of_several_variants
                            ? "The colours are logarithmic, from this variant's fastest to its slowest."
                            : "The colours are logarithmic, from the fastest to the slowest.";
    draw_text(list, Type::note, {at.x, at.y + row.sentence}, palette.quiet, elide(Type::note, scale, width));
}

/// A sign of the map and what it means.
struct MapMark {
    const char* words = nullptr;
    float frame = 0;  ///< thickness; 0: none
    ImU32 hatch = 0;  ///< 0: none
};
/// Only of what the map shows.
std::vector<MapMark> marks_of(const SweepMap& map) {
    const Theme& t = theme();
    std::vector<MapMark> marks;
    const auto add = [&](const MapMark& mark, bool (*is)(const SweepMap::Cell&)) {
        if (std::any_of(map.cells.begin(), map.cells.end(), is)) marks.push_back(mark);
    };
    add({"best", best_frame(true), 0}, [](const SweepMap::Cell& c) { return c.best; });
    add({"ties with the best", best_frame(false), 0}, [](const SweepMap::Cell& c) { return c.tie; });
    add({"refused", 0, refused_hatch()},
        [](const SweepMap::Cell& c) { return c.state == CellState::refused; });
    add({"✗ failed or wrong", 0, t.color(Ink::wrong)}, [](const SweepMap::Cell& c) {
        return c.state == CellState::failed || (c.state == CellState::done && !c.right);
    });
    add({"still to come", 0, 0}, [](const SweepMap::Cell& c) { return c.state == CellState::pending; });
    return marks;
}

/// Calls use(mark, x, y) for each, from the upper left corner, wrapped; returns the height.
float place_marks(const std::vector<MapMark>& marks, float width,
                  const std::function<void(const MapMark&, float, float)>& use) {
    const Theme& t = theme();
    const float line = t.line_height(Type::note);
    float x = 0, y = 0;
    for (const MapMark& mark : marks) {
        const float wide = std::round(t.px(12)) + t.px(6) + text_size(Type::note, mark.words).x;
        if (x > 0 && x + wide > width) {
            x = 0;
            y += line;
        }
        use(mark, x, y);
        x += wide + t.px(16);
    }
    return marks.empty() ? 0 : y + line;
}

void draw_marks(const std::vector<MapMark>& marks, glm::vec2 at, float width) {
    const Theme& t = theme();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float line = t.line_height(Type::note), box = std::round(t.px(12));
    place_marks(marks, width, [&](const MapMark& mark, float x, float y) {
        const float top = std::round(at.y + y + (line - box) / 2);
        const Rect rect{{at.x + x, top}, {at.x + x + box, top + box}};
        list->AddRectFilled(rect.min, rect.max, shown(t.palette().raised));
        if (mark.frame > 0) draw_frame(list, rect, t.color(Ink::kernel), mark.frame);
        if (mark.hatch != 0) draw_hatch(list, rect.min, rect.max, mark.hatch);
        draw_text(list, Type::note, {rect.max.x + t.px(6), at.y + y}, t.palette().quiet, mark.words);
    });
}

float height_above() {
    return theme().line_height(Type::note) + theme().px(4);
}

/// The numbers and the title of the axis, the colours and the marks.
float height_below(const SweepMap& map, const std::vector<MapMark>& marks, float width) {
    const Theme& t = theme();
    return t.line_height(Type::mono) + t.px(4) + t.line_height(Type::note) + t.px(4) +
           legend_row(map).height + t.px(4) + place_marks(marks, width, [](const MapMark&, float, float) {});
}

MapLayout lay_out(const SweepMap& map, const std::vector<MapMark>& marks, glm::vec2 start, glm::vec2 size) {
    const Theme& t = theme();
    MapLayout layout;
    layout.columns = map.x_labels.size();
    layout.rows = map.y_labels.size();
    const float left = std::min(widest_label(map.y_labels), size.x * 0.25F) + t.px(10);
    layout.origin = {std::floor(start.x + left), std::floor(start.y + height_above())};
    const auto rows = static_cast<float>(layout.rows);
    layout.cell.x = (start.x + size.x - layout.origin.x) / static_cast<float>(layout.columns);
    layout.cell.y =
        std::round(std::clamp(t.px(wanted_height) / rows, t.px(least_cell_height), t.px(most_cell_height)));
    const float room = start.y + size.y - layout.origin.y - height_below(map, marks, size.x);
    // A pixel in all: told its own height, it is as high again.
    if (size.y > 0 && room + 1 < layout.cell.y * rows)
        layout.cell.y = std::max(t.px(lowest_cell), room / rows);
    layout.bottom = layout.origin.y + std::floor(layout.cell.y * rows);
    return layout;
}

void move_by_keys(PlotState& state, const MapLayout& layout) {
    std::size_t &column = state.key_column, &row = state.key_row;
    if (plain_key_pressed(Key::right, true)) column = std::min(column + 1, layout.columns - 1);
    if (plain_key_pressed(Key::left, true) && column > 0) --column;
    if (plain_key_pressed(Key::up, true)) row = std::min(row + 1, layout.rows - 1);
    if (plain_key_pressed(Key::down, true) && row > 0) --row;
}

/// By the right button, pressed and let go in one place of the map, or by its key.
MenuOpens menu_opens(const Rect& whole, bool focused) {
    const bool hovered = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(whole.min, whole.max);
    if ((focused || hovered) && key_pressed_with(Key::f10, {.shift = true})) return MenuOpens::by_key;
    const ImGuiIO& io = ImGui::GetIO();
    const float still = io.MouseDragThreshold;
    if (hovered && ImGui::IsMouseReleased(ImGuiMouseButton_Right) &&
        whole.contains(io.MouseClickedPos[ImGuiMouseButton_Right]) &&
        io.MouseDragMaxDistanceSqr[ImGuiMouseButton_Right] <= still * still)
        return MenuOpens::by_mouse;
    return MenuOpens::not_now;
}

PlotSubject subject_of(const SweepMap& map) {
    const auto kept = std::make_shared<const SweepMap>(map);
    PlotSubject subject{map.id,
                        map.title,
                        Origin::measured,
                        map.note,
                        "All cells of the map, one row each: both values, the variant, the median, half of "
                        "its 95 % interval, and the status.",
                        {},
                        {}};
    subject.csv = [kept] { return sweep_map_csv(*kept); };
    subject.draw = [kept](std::string_view id, PlotView& view, glm::vec2 size, bool) {
        draw_sweep_map(id, {}, *kept, view, size);
    };
    return subject;
}

}  // namespace

void draw_hatch(ImDrawList* list, glm::vec2 min, glm::vec2 max, ImU32 color) {
    const float step = std::max(3.0F, std::round(theme().px(6)));
    list->PushClipRect(min, max, true);
    const float height = max.y - min.y;
    for (float x = min.x - height; x < max.x; x += step)
        list->AddLine({x, max.y}, {x + height, min.y}, shown(color), std::max(1.0F, theme().scale()));
    list->PopClipRect();
}

MapTouch draw_sweep_map(std::string_view id, std::string_view cells, const SweepMap& map, PlotView& view,
                        glm::vec2 size) {
    const Theme& t = theme();
    if (!view.state) view.state = std::make_shared<PlotState>();
    PlotState& state = *view.state;
    const glm::vec2 start = cursor();
    const std::vector<MapMark> marks = marks_of(map);
    const MapLayout layout = lay_out(map, marks, start, size);
    size.y = layout.bottom + height_below(map, marks, size.x) - start.y;
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(list, Type::note, start, t.palette().quiet, elide(Type::note, map.y_title, size.x));

    const Rect whole{start, start + size}, inside{layout.origin, {start.x + size.x, layout.bottom}};
    const Item item = interact(id_of(id), inside, inside, {.takes_arrows = true});
    if (item.focused) move_by_keys(state, layout);
    state.key_column = std::min(state.key_column, layout.columns - 1);
    state.key_row = std::min(state.key_row, layout.rows - 1);
    MapTouch touch;
    const glm::vec2 mouse = ImGui::GetIO().MousePos;
    for (std::size_t row = 0; row < layout.rows; ++row)
        for (std::size_t column = 0; column < layout.columns; ++column) {
            const SweepMap::Cell& cell = map.cells[row * layout.columns + column];
            const Rect rect = layout.rect(column, row);
            if (!cells.empty())
                register_widget(fmt::format("{}.{}.{}", cells, column, row), "cell", rect.min, rect.max,
                                cell.best ? "best " + cell.text : cell.text);
            if (!ImGui::IsRectVisible(rect.min, rect.max)) continue;
            draw_cell(map, cell, rect);
            const bool by_keys = item.focused && state.key_column == column && state.key_row == row;
            const bool by_mouse = item.hovered && rect.contains(mouse);
            if (by_keys) draw_focus_ring(rect, 0);
            if (by_mouse) {
                draw_frame(list, rect, t.text_on(viridis(map.shade(cell.cost))), 1);
                touch.pointed = cell.cell;
                touch.at = mouse;
            } else if (by_keys && !touch.pointed) {
                touch.pointed = cell.cell;
                touch.at = rect.centre();
            }
        }
    touch.chosen = item.clicked && touch.pointed.has_value();
    draw_labels(map, layout, start.x, start.x + size.x);

    float y = layout.bottom + t.line_height(Type::mono) + t.px(4);
    draw_text_right(list, Type::note, {start.x + size.x, y}, t.palette().quiet,
                    elide(Type::note, map.x_title, size.x));
    y += t.line_height(Type::note) + t.px(4);
    draw_legend_row(map, {start.x, y}, size.x);
    draw_marks(marks, {start.x, y + legend_row(map).height + t.px(4)}, size.x);

    ImGui::PushID(id.data(), id.data() + id.size());
    draw_plot_menu(std::string(id), view, {menu_opens(whole, item.focused), false, start},
                   [&map] { return sweep_map_csv(map); });
    ImGui::PopID();
    if (const std::optional<PlotFile> file = std::exchange(state.chosen, std::nullopt))
        view.wish = PlotWish{*file, subject_of(map), size, false};
    register_widget(id, "plot", whole.min, whole.max);
    ImGui::SetCursorScreenPos(start);
    advance_cursor(size);
    return touch;
}

}  // namespace gridstride::ui

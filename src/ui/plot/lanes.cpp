// Lanes: rows of cells, what each invocation does at each level.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/units.h"
#include "ui/plot/plot_state.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr float lane_pitch = 36;
constexpr float lane_height = 22;
constexpr float gap_from = 4;  // pixels a cell: narrower ones stand without gaps

/// Cells that wait are the background of those that work.
ImU32 cell_color(Ink ink, std::size_t* free_colors) {
    if (ink == Ink::quiet) return theme().palette().line;
    return ink == Ink::series ? theme().series_color((*free_colors)++) : theme().color(ink);
}

/// Of cells that share a pixel the strongest shows: what is wrong, then what works, in the order of the
/// kinds.
int strength(Ink ink) {
    switch (ink) {
        case Ink::wrong:
            return 3;
        case Ink::caution:
            return 2;
        case Ink::quiet:
        case Ink::wait:
            return 0;
        default:
            return 1;
    }
}

std::vector<std::uint8_t> order_of_strength(const Lanes& lanes) {
    std::vector<std::uint8_t> rank(lanes.kinds.size());
    for (std::size_t k = 0; k < rank.size(); ++k) {
        std::size_t stronger = 0;
        for (std::size_t o = 0; o < rank.size(); ++o) {
            const int mine = strength(lanes.kinds[k].ink), other = strength(lanes.kinds[o].ink);
            if (other > mine || (other == mine && o < k)) ++stronger;
        }
        rank[k] = static_cast<std::uint8_t>(std::min<std::size_t>(stronger, 255));
    }
    return rank;
}

struct LanesLayout {
    PlotArea area;
    float pitch = 0, height = 0;  ///< of a row
    bool words_above = false;     ///< labels and notes stand over the row, not beside it
    bool words = true, notes = true;
    float note_x = 0;
    float legend_top = 0;
};

std::size_t longest(const Lanes& lanes) {
    std::size_t cells = 0;
    for (const Lanes::Lane& lane : lanes.lanes)
        cells = std::max(cells, lane.cells.size());
    return cells;
}

LanesLayout lay_out(const Lanes& lanes, glm::vec2 origin, glm::vec2* size, float legend) {
    const Theme& t = theme();
    LanesLayout layout;
    float labels = 0, notes = 0;
    for (const Lanes::Lane& lane : lanes.lanes) {
        labels = std::max(labels, std::ceil(text_size(Type::note, lane.label).x));
        notes = std::max(notes, std::ceil(text_size(Type::note, lane.note).x));
    }
    const bool any_words = labels + notes > 0;
    // Beside the cells while most of the width remains theirs, else on a line above each row.
    layout.words_above = any_words && labels + notes + t.px(24) > size->x * 0.4f;
    const float above = layout.words_above ? t.line_height(Type::note) + t.px(2) : 0;
    const auto rows = static_cast<float>(std::max<std::size_t>(1, lanes.lanes.size()));
    const float natural = layout.words_above ? t.px(lane_height + 10) + above : t.px(lane_pitch);
    const float gap = t.px(8);
    if (size->y <= 0) size->y = rows * natural - t.px(lane_pitch - lane_height) + gap + legend;
    layout.pitch =
        std::clamp((size->y - legend - gap + t.px(lane_pitch - lane_height)) / rows, t.px(3), natural);
    // Squeezed: the notes go first, then the labels, then the space between rows.
    layout.words =
        any_words && layout.pitch >= above + (layout.words_above ? t.px(8) : t.font(Type::note)->FontSize);
    layout.notes = layout.words;
    if (!layout.words) {
        layout.words_above = false;
        layout.words = labels > 0 && labels < size->x * 0.3f && layout.pitch >= t.font(Type::note)->FontSize;
    }
    const float room = layout.pitch - (layout.words_above ? above : 0);
    layout.height =
        std::max(t.px(2), std::min(t.px(lane_height), std::floor(room * (room < t.px(14) ? 0.8f : 0.64f))));
    PlotArea& area = layout.area;
    area.min = glm::vec2(origin.x, origin.y);
    area.max = glm::vec2(origin.x + size->x, origin.y + rows * layout.pitch);
    if (layout.words && !layout.words_above) {
        if (labels > 0) area.min.x = std::round(origin.x + labels + t.px(12));
        if (notes > 0 && layout.notes) area.max.x = std::round(origin.x + size->x - notes - t.px(12));
    }
    layout.note_x = origin.x + size->x;
    layout.legend_top =
        std::max(area.max.y - (layout.pitch - layout.height) + gap, origin.y + size->y - legend);
    if (layout.words_above)
        layout.legend_top = std::max(area.max.y - t.px(10) + gap, origin.y + size->y - legend);
    layout.legend_top = std::min(layout.legend_top, origin.y + size->y - legend);
    return layout;
}

struct Row {
    float top, bottom;
};
Row row_of(const LanesLayout& layout, std::size_t lane) {
    const float above = layout.words_above ? theme().line_height(Type::note) + theme().px(2) : 0;
    const float top = std::round(layout.area.min.y + static_cast<float>(lane) * layout.pitch + above);
    return {top, top + std::round(layout.height)};
}

void draw_cells(ImDrawList* list, const Lanes& lanes, const LanesLayout& layout,
                const std::vector<ImU32>& colors, const std::vector<std::uint8_t>& rank) {
    const PlotArea& area = layout.area;
    const float cell = static_cast<float>(static_cast<double>(area.width()) / area.x.length());
    const float gap = cell >= theme().px(gap_from) ? std::max(1.0f, std::floor(theme().scale()))
                      : cell >= gap_from           ? 1.0f
                                                   : 0;
    RectBatch batch(list);
    for (std::size_t l = 0; l < lanes.lanes.size(); ++l) {
        const std::vector<std::uint8_t>& cells = lanes.lanes[l].cells;
        const Row row = row_of(layout, l);
        const auto fill = [&](float from, float to, std::uint8_t kind) {
            if (kind < colors.size() && to > from)
                batch.add(glm::vec2(from, row.top), glm::vec2(to, row.bottom), colors[kind]);
        };
        const auto begin = static_cast<std::size_t>(
            std::clamp(std::floor(area.x.low), 0.0, static_cast<double>(cells.size())));
        const auto end = static_cast<std::size_t>(
            std::clamp(std::ceil(area.x.high), 0.0, static_cast<double>(cells.size())));
        if (cell >= 1) {
            // Neighbours of one kind without a gap between them are one rectangle.
            for (std::size_t i = begin; i < end;) {
                std::size_t next = i + 1;
                while (gap == 0 && next < end && cells[next] == cells[i])
                    ++next;
                const float from = std::round(area.along_x(static_cast<double>(i)));
                fill(from, std::round(area.along_x(static_cast<double>(next))) - gap, cells[i]);
                i = next;
            }
            continue;
        }
        const auto pixels = static_cast<std::size_t>(std::max(1.0f, area.width()));
        const double per_pixel = area.x.length() / static_cast<double>(pixels);
        int held = -1;
        float from = area.min.x;
        for (std::size_t p = 0; p <= pixels; ++p) {
            int strongest = -1;
            const double first = area.x.low + per_pixel * static_cast<double>(p);
            const auto a = static_cast<std::size_t>(
                std::clamp(std::floor(first), 0.0, static_cast<double>(cells.size())));
            const auto b = static_cast<std::size_t>(
                std::clamp(std::ceil(first + per_pixel), 0.0, static_cast<double>(cells.size())));
            for (std::size_t i = a; i < b && p < pixels; ++i) {
                if (cells[i] >= rank.size()) continue;
                if (strongest < 0 || rank[cells[i]] < rank[static_cast<std::size_t>(strongest)])
                    strongest = cells[i];
            }
            if (strongest == held && p < pixels) continue;
            const float x = area.min.x + static_cast<float>(p);
            if (held >= 0) fill(from, x, static_cast<std::uint8_t>(held));
            held = strongest;
            from = x;
        }
    }
}

void draw_words(ImDrawList* list, const Lanes& lanes, const LanesLayout& layout, glm::vec2 origin,
                float width) {
    if (!layout.words) return;
    const Theme& t = theme();
    const float height = t.font(Type::note)->FontSize;
    for (std::size_t l = 0; l < lanes.lanes.size(); ++l) {
        const Lanes::Lane& lane = lanes.lanes[l];
        const Row row = row_of(layout, l);
        const float y = layout.words_above ? std::round(row.top - height - t.px(4))
                                           : std::round((row.top + row.bottom - height) / 2);
        std::string note = layout.notes ? lane.note : std::string();
        float note_width = text_size(Type::note, note).x;
        if (layout.words_above && note_width > width * 0.7f) {
            note = elide(Type::note, note, width * 0.7f);
            note_width = text_size(Type::note, note).x;
        }
        const float room = layout.words_above ? width - note_width - t.px(12) : layout.area.min.x - origin.x;
        put_text(list, Type::note, glm::vec2(origin.x, y), t.palette().quiet,
                 elide(Type::note, lane.label, room));
        put_text_right(list, Type::note, glm::vec2(layout.note_x, y), t.palette().quiet, note);
    }
}

void read_out(ImDrawList* list, const Lanes& lanes, const LanesLayout& layout,
              const std::vector<std::uint8_t>& rank, glm::vec2 mouse) {
    const PlotArea& area = layout.area;
    const auto l = static_cast<std::size_t>(std::max(0.0f, (mouse.y - area.min.y) / layout.pitch));
    if (l >= lanes.lanes.size()) return;
    const std::vector<std::uint8_t>& cells = lanes.lanes[l].cells;
    const double at = area.x_under(mouse);
    if (at < 0 || at >= static_cast<double>(cells.size())) return;
    const double per_pixel = area.x.length() / static_cast<double>(std::max(1.0f, area.width()));
    const auto first = static_cast<std::size_t>(
        per_pixel > 1 ? area.x.low + std::floor((at - area.x.low) / per_pixel) * per_pixel : at);
    const std::size_t last =
        per_pixel > 1 ? std::min(cells.size() - 1, first + static_cast<std::size_t>(std::ceil(per_pixel)) - 1)
                      : first;
    std::size_t kind = cells[first];
    for (std::size_t i = first; i <= last; ++i)
        if (cells[i] < rank.size() && (kind >= rank.size() || rank[cells[i]] < rank[kind])) kind = cells[i];

    // The same invocation in the other lanes: a faint guide.
    const float x0 = std::round(area.along_x(static_cast<double>(first)));
    const float x1 = std::max(x0 + 1, std::round(area.along_x(static_cast<double>(last + 1))));
    list->AddRectFilled(glm::vec2(x0, area.min.y),
                        glm::vec2(x1, row_of(layout, lanes.lanes.size() - 1).bottom),
                        with_alpha(theme().palette().text, 0.14f));
    const Row row = row_of(layout, l);
    list->AddRect(glm::vec2(x0 - 1, row.top - 1), glm::vec2(x1 + 1, row.bottom + 1), theme().palette().text);

    std::string what = lanes.cell_name.empty() ? "" : lanes.cell_name + " ";
    what += format_count(first);
    if (last > first) what += "\u2013" + format_count(last);
    if (!lanes.lanes[l].label.empty()) what += " \u00b7 " + lanes.lanes[l].label;
    if (kind < lanes.kinds.size()) what += " \u00b7 " + lanes.kinds[kind].label;
    draw_readout({{0, what, {}}}, mouse);
}

}  // namespace

void draw_lanes(std::string_view id, const Plot& plot, const Lanes& lanes, PlotView& view, glm::vec2 size) {
    const Theme& t = theme();
    PlotState& state = *view.state;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const glm::vec2 origin = ImGui::GetCursorScreenPos();
    state.colors.clear();
    std::size_t free_colors = 0;
    std::vector<LegendEntry> legend;
    for (const Lanes::Kind& kind : lanes.kinds) {
        state.colors.push_back(cell_color(kind.ink, &free_colors));
        if (!kind.label.empty()) legend.push_back({kind.label, state.colors.back(), Swatch::square, false});
    }
    const std::vector<std::uint8_t> rank = order_of_strength(lanes);
    const float legend_space = legend_height(legend, size.x, size.x);
    LanesLayout layout = lay_out(lanes, origin, &size, legend_space);
    const glm::vec2 corner(origin.x + size.x, origin.y + size.y);
    const Range fit{0, std::max(1.0, static_cast<double>(longest(lanes)))}, still{0, 1};
    settle_ranges(view, fit, still, &layout.area.x, &layout.area.y);
    const Navigation navigation = navigate(id, plot, view, {layout.area, fit, still, true}, origin,
                                           glm::vec2(corner.x, layout.legend_top));
    if (navigation.changed) settle_ranges(view, fit, still, &layout.area.x, &layout.area.y);
    state.x = layout.area.x;
    state.y = layout.area.y;
    state.drawn = true;

    list->PushClipRect(glm::vec2(layout.area.min.x - 1, layout.area.min.y - 1),
                       glm::vec2(layout.area.max.x + 1, layout.area.max.y + 1), true);
    draw_cells(list, lanes, layout, state.colors, rank);
    if (navigation.hovered && !state.boxing) read_out(list, lanes, layout, rank, ImGui::GetIO().MousePos);
    draw_zoom_box(list, view, layout.area, true);
    list->PopClipRect();
    draw_words(list, lanes, layout, origin, size.x);
    draw_legend(id, legend, glm::vec2(origin.x, layout.legend_top), size.x, size.x, false);
    if (navigation.focused)
        draw_focus_ring({{origin.x - t.px(4), origin.y - t.px(2)}, {corner.x + t.px(4), layout.legend_top}},
                        t.px(6));
    register_widget(id, "plot", origin, corner);
    ImGui::SetCursorScreenPos(origin);
    advance_cursor(size);
}

}  // namespace gridstride::ui

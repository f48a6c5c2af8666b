// Lanes: one row of cells per level, one cell per invocation.
#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "ui/plot/cells.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {
namespace {

constexpr float lane_pitch = 36;
constexpr float lane_height = 22;

float lane_top(const CellsLayout& layout, std::size_t row) {
    return std::round(layout.areas[0].min.y + static_cast<float>(row) * layout.pitch + layout.label_height);
}

}  // namespace

CellsLayout lay_out_lanes(const Cells& cells, glm::vec2 origin, glm::vec2 size, float legend) {
    const Theme& t = theme();
    CellsLayout layout;
    float labels = 0, notes = 0;
    for (const Cells::Row& row : cells.rows) {
        labels = std::max(labels, std::ceil(text_size(TextStyle::note, row.label).x));
        notes = std::max(notes, std::ceil(text_size(TextStyle::note, row.note).x));
    }
    const bool any_words = labels + notes > 0;
    const float text_height = t.font_size(TextStyle::note);
    // Labels go beside the cells while those keep most of the width, else on a line above each row.
    if (any_words && labels + notes + t.px(24) > size.x * 0.4f)
        layout.label_height = t.line_height(TextStyle::note) + t.px(2);
    const auto rows = static_cast<float>(cells.rows.size());
    const float natural =
        layout.label_height > 0 ? t.px(lane_height + 10) + layout.label_height : t.px(lane_pitch);
    const float gap = t.px(8), row_gap = t.px(lane_pitch - lane_height);
    const auto height_with = [&](float pitch) { return rows * pitch - row_gap + gap + legend; };
    size.y = size.y > 0 ? std::min(size.y, height_with(natural * max_stretch)) : height_with(natural);
    layout.pitch = std::max((size.y - legend - gap + row_gap) / rows, t.px(3));
    // If space is short, notes are dropped first, then labels that overlap, then the gaps between rows.
    layout.labels = layout.notes =
        any_words && layout.pitch >= (layout.label_height > 0 ? layout.label_height + t.px(8) : text_height);
    if (!layout.labels) {
        layout.label_height = 0;
        layout.labels = labels > 0 && labels < size.x * 0.3f;
    }
    const float room = layout.pitch - layout.label_height;
    layout.height = std::max(t.px(2), std::floor(room * (room < t.px(14) ? 0.8f : lane_height / lane_pitch)));
    PlotArea area;
    area.min = origin;
    area.max = glm::vec2(origin.x + size.x, origin.y + rows * layout.pitch);
    if (layout.labels && layout.label_height == 0) {
        if (labels > 0) area.min.x = std::round(origin.x + labels + t.px(12));
        if (notes > 0 && layout.notes) area.max.x = std::round(origin.x + size.x - notes - t.px(12));
    }
    layout.legend_top = origin.y + size.y - legend;
    layout.areas = {area};
    layout.size = size;
    return layout;
}

void draw_lane_labels(ImDrawList* list, const Cells& cells, const CellsLayout& layout, glm::vec2 origin) {
    if (!layout.labels) return;
    const Theme& t = theme();
    const float text_height = t.font_size(TextStyle::note), width = layout.size.x;
    const auto every = static_cast<std::size_t>(std::max(1.0F, std::ceil(text_height / layout.pitch)));
    for (std::size_t r = 0; r < cells.rows.size(); r += every) {
        const Cells::Row& row = cells.rows[r];
        const float top = lane_top(layout, r);
        const bool above = layout.label_height > 0;
        const float y =
            std::round(above ? top - text_height - t.px(4) : top + (layout.height - text_height) / 2);
        if (every > 1 && y + text_height > layout.legend_top) break;  // it would overlap the legend
        std::string note = layout.notes ? row.note : std::string();
        if (above) note = elide(TextStyle::note, note, width * 0.7f);
        const float room =
            above ? width - text_size(TextStyle::note, note).x - t.px(12) : layout.areas[0].min.x - origin.x;
        draw_plot_text(list, TextStyle::note, glm::vec2(origin.x, y), t.palette().quiet,
                       elide(TextStyle::note, row.label, room));
        draw_plot_text_right(list, TextStyle::note, glm::vec2(origin.x + width, y), t.palette().quiet, note);
    }
}

void draw_lane_texts(ImDrawList* list, const Cells& cells, const CellsLayout& layout,
                     const std::vector<ImU32>& colors) {
    const Theme& t = theme();
    const PlotArea& area = layout.areas[0];
    const float text_height = t.line_height(TextStyle::mono),
                cell = area.width() / static_cast<float>(area.x.length());
    if (text_height > layout.height || cell < text_height / 2) return;
    for (std::size_t r = 0; r < cells.rows.size(); ++r) {
        const std::vector<std::string>& written = cells.rows[r].cell_texts;
        if (written.empty() || max_text_width(TextStyle::mono, written) + t.px(4) > cell) continue;
        for (std::size_t c = 0; c < written.size(); ++c) {
            const float middle = area.along_x(static_cast<double>(c) + 0.5);
            if (middle - cell / 2 < area.min.x - 1 || middle + cell / 2 > area.max.x + 1) continue;
            const glm::vec2 at(middle - text_size(TextStyle::mono, written[c]).x / 2,
                               lane_top(layout, r) + (layout.height - text_height) / 2);
            draw_text(list, TextStyle::mono, glm::round(at), t.text_on(colors[cells.rows[r].kinds[c]]),
                      written[c]);
        }
    }
}

void draw_lane_readout(ImDrawList* list, const Cells& cells, const CellsLayout& layout, glm::vec2 mouse,
                       const ReadoutLine& hint) {
    const PlotArea& area = layout.areas[0];
    const auto r = static_cast<std::size_t>(std::max(0.0f, (mouse.y - area.min.y) / layout.pitch));
    const double at = area.x_under(mouse);
    if (r >= cells.rows.size() || at < 0) return;
    const Cells::Row& row = cells.rows[r];
    if (at >= static_cast<double>(row.kinds.size())) return;
    // If space is short, notes are dropped first.
    const double shared = area.x.length() / static_cast<double>(std::max(1.0f, area.width()));
    const auto first = static_cast<std::size_t>(
        shared > 1 ? area.x.low + std::floor((at - area.x.low) / shared) * shared : at);
    const std::size_t count = shared > 1 ? static_cast<std::size_t>(std::ceil(shared)) : 1;
    const std::size_t end = std::min(row.kinds.size(), first + count);
    const int kind = dominant_kind(cells, row, first, end);

    // Highlight the same invocation in the other lanes.
    const float x0 = std::max(area.min.x, std::round(area.along_x(static_cast<double>(first))));
    const float x1 =
        std::min(area.max.x, std::max(x0 + 1, std::round(area.along_x(static_cast<double>(end)))));
    list->AddRectFilled(glm::vec2(x0, area.min.y),
                        glm::vec2(x1, lane_top(layout, cells.rows.size() - 1) + layout.height),
                        with_alpha(theme().palette().text, 0.14f));
    const float top = lane_top(layout, r);
    list->AddRect(glm::vec2(x0 - 1, top - 1), glm::vec2(x1 + 1, top + layout.height + 1),
                  theme().palette().text);

    std::string what = cells.cell_name.empty() ? "" : cells.cell_name + " ";
    what += format_count(first);
    if (end > first + 1) what += "\u2013" + format_count(end - 1);
    if (!row.label.empty()) what += " \u00b7 " + row.label;
    if (kind >= 0 && !cells.kinds[static_cast<std::size_t>(kind)].label.empty())
        what += " \u00b7 " + cells.kinds[static_cast<std::size_t>(kind)].label;
    if (end == first + 1 && first < row.hover_texts.size() && !row.hover_texts[first].empty())
        what = row.hover_texts[first];
    draw_readout({{0, what, {}}, hint}, mouse);
}

}  // namespace gridstride::ui

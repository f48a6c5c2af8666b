// Draws a SweepMap: cells in Viridis, what has no time marked, the best one framed, the colours' scale below.
#pragma once

#include <imgui.h>

#include <optional>
#include <string_view>

#include "session/sweep_figure.h"
#include "ui/plot/plot_view.h"

namespace gridstride::ui {

/// What the mouse or the keys are on, as the sweep's cell, and whether it was chosen.
struct MapTouch {
    std::optional<std::size_t> pointed;
    glm::vec2 at;  ///< the mouse, or the middle of the cell that the keys are on
    bool chosen = false;
};
/// Draws the map at the cursor, size pixels wide; size.y 0: as high as it wants, else no higher. Its cells
/// register as "<cells>.<column>.<row>", counted from 0 and from the lowest row, or not at all where `cells`
/// is empty. It takes the arrow keys and Enter, and has a plot's menu; the view keeps what that chose.
MapTouch draw_sweep_map(std::string_view id, std::string_view cells, const SweepMap& map, PlotView& view,
                        glm::vec2 size);

/// Diagonal strokes over a rectangle: there is no number here.
void draw_hatch(ImDrawList* list, glm::vec2 min, glm::vec2 max, ImU32 color);

}  // namespace gridstride::ui

// Draws a SweepMap: cells in Viridis, what has no time marked, the best one framed, the colours' scale below.
#pragma once

#include <imgui.h>

#include <optional>
#include <string_view>

#include "ui/sweep_figure.h"

namespace gridstride::ui {

/// What the mouse or the keys are on, as the sweep's cell, and whether it was chosen.
struct MapTouch {
    std::optional<std::size_t> pointed;
    bool chosen = false;
};
/// Draws the map at the cursor, `width` pixels wide, as high as it needs. Its cells register as
/// "<id>.<column>.<row>", counted from 0 and from the lowest row; the map takes the arrow keys and Enter.
MapTouch draw_sweep_map(std::string_view id, const SweepMap& map, float width);

/// Diagonal strokes over a rectangle: there is no number here.
void draw_hatch(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 color);

}  // namespace gridstride::ui

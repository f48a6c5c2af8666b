// Internal to cells.cpp: lanes, pictures and maps.
#pragma once

#include <vector>

#include "ui/plot/plot_state.h"

namespace gridstride::ui {

struct CellsLayout {
    std::vector<PlotArea> areas;  ///< one, or one per picture
    float pitch = 0;              ///< of a row of lanes
    float height = 0;             ///< of its cells
    float label_height = 0;       ///< height of the label and note above a lane; 0 if they are beside it
    bool labels = true, notes = true;
    float legend_top = 0;
    glm::vec2 size;
};

/// size.y 0: natural height. `legend`: height of the legend in pixels.
CellsLayout lay_out_lanes(const Cells& cells, glm::vec2 origin, glm::vec2 size, float legend);
void draw_lane_labels(ImDrawList* list, const Cells& cells, const CellsLayout& layout, glm::vec2 origin);
void draw_lane_texts(ImDrawList* list, const Cells& cells, const CellsLayout& layout,
                     const std::vector<ImU32>& colors);
void draw_lane_readout(ImDrawList* list, const Cells& cells, const CellsLayout& layout, glm::vec2 mouse,
                       const ReadoutLine& hint);

CellsLayout lay_out_pictures(const Cells& cells, glm::vec2 origin, glm::vec2 size);
/// Zooms both axes to the same fraction, so that pictures keep their proportions, and keeps the view inside
/// the picture.
void keep_proportions(PlotView& view, const Cells& cells);
std::size_t find_picture(const CellsLayout& layout, float x);
void draw_picture_edges(ImDrawList* list, const Cells& cells, const CellsLayout& layout);
void draw_picture_readout(ImDrawList* list, const Cells& cells, const CellsLayout& layout,
                          std::size_t hovered, glm::vec2 mouse, const ReadoutLine& hint);

CellsLayout lay_out_map(const Cells& cells, glm::vec2 origin, glm::vec2 size, float legend);
/// Sets state.hit to the cell under the mouse, or to the one selected by the arrow keys.
void update_hovered_cell(const Cells& cells, PlotState& state, const Navigation& navigation, glm::vec2 mouse);
/// Draws the map's numbers, rings, labels and shades around the cells that are already drawn.
void draw_map(ImDrawList* list, const Cells& cells, const PlotView& view, const Navigation& navigation,
              glm::vec2 origin, float width);
ImU32 hatch_color(ColorRole color_role);
float max_text_width(TextStyle type, const std::vector<std::string>& words);

}  // namespace gridstride::ui

// The three ways in which cells are drawn, for cells.cpp.
#pragma once

#include <vector>

#include "ui/plot/plot_state.h"

namespace gridstride::ui {

struct CellsLayout {
    std::vector<PlotArea> areas;  ///< one, or one for each of several pictures
    float pitch = 0;              ///< of a row of lanes
    float height = 0;             ///< of its cells
    float words_above = 0;        ///< where a lane's label and note stand over it: their height
    bool labels = true, notes = true;
    float legend_top = 0;
    glm::vec2 size;
};

/// size.y 0: what the content wants. legend: its height.
CellsLayout lay_out_lanes(const Cells& cells, glm::vec2 origin, glm::vec2 size, float legend);
void draw_lane_words(ImDrawList* list, const Cells& cells, const CellsLayout& layout, glm::vec2 origin);
void draw_in_lanes(ImDrawList* list, const Cells& cells, const CellsLayout& layout,
                   const std::vector<ImU32>& colors);
void read_out_lane(ImDrawList* list, const Cells& cells, const CellsLayout& layout, glm::vec2 mouse,
                   const ReadoutLine& hint);

CellsLayout lay_out_pictures(const Cells& cells, glm::vec2 origin, glm::vec2 size);
/// Both axes show equal parts, so that pictures keep their proportions, and nothing beside the picture.
void keep_proportions(PlotView& view, const Cells& cells);
std::size_t picture_under(const CellsLayout& layout, float x);
void draw_picture_edges(ImDrawList* list, const Cells& cells, const CellsLayout& layout);
void read_out_picture(ImDrawList* list, const Cells& cells, const CellsLayout& layout, std::size_t hovered,
                      glm::vec2 mouse, const ReadoutLine& hint);

CellsLayout lay_out_map(const Cells& cells, glm::vec2 origin, glm::vec2 size, float legend);
/// Leaves in the view's state which cell the mouse is on, or the arrow keys have come to.
void point_at_cell(const Cells& cells, PlotState& state, const Navigation& navigation, glm::vec2 mouse);
/// What stands in and around the cells.
void draw_map(ImDrawList* list, const Cells& cells, const PlotView& view, const Navigation& navigation,
              glm::vec2 origin, float width);
ImU32 hatch_color(Ink ink);
float widest(Type type, const std::vector<std::string>& words);

}  // namespace gridstride::ui

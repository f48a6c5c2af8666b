// Draws cells as coloured rectangles, because the drawing backend supports no textures but the font's.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <vector>

#include "lesson/plot.h"

namespace gridstride::ui {

/// The visible part of the cells, in cells from the upper left corner.
struct CellRegion {
    double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    bool operator==(const CellRegion&) const = default;
};

/// Returns the position of a value on the shades, 0 … 1.
double to_shade(const Cells& cells, const Cells::Numbers& numbers, double value);
/// Returns the colour of a shade, 0 … 1.
ImU32 shade_color(Cells::Shades shades, double shade);

/// Returns the kind with the highest priority among the cells [first, last) of a row, which share a pixel:
/// errors, then work in the order of the kinds, then waiting; -1 if no cell has a kind.
int dominant_kind(const Cells& cells, const Cells::Row& row, std::size_t first, std::size_t last);

/// The rectangles of cells at one size. If a cell of lanes or of a map is narrower than a pixel, the pixel
/// shows the kind with the highest priority. Pictures have at most about 200 cells in the longer direction,
/// each the mean of the numbers that it covers (a box filter, weighted by area). Adjacent cells of one colour
/// in a row are merged into one rectangle unless there is a gap between them.
class CellRuns {
 public:
    struct Run {
        float x0, y0, x1, y1;  ///< pixels from the upper left corner of the area
        ImU32 color;
    };
    struct Paint {
        std::size_t numbers = 0;  ///< index of the picture; unused in lanes
        CellRegion region;
        glm::vec2 pixels;
        std::vector<ImU32> kinds;  ///< colours of the kinds
        ImU32 not_a_number = 0;    ///< colour of cells without a finite number
        float gap = 0;             ///< pixels between cells of a row
        bool operator==(const Paint&) const = default;
    };
    /// Computes the runs again if the cells or the paint have changed.
    void update(const Cells& cells, const Paint& paint);
    const std::vector<Run>& runs() const { return runs_; }

 private:
    Cells cells_;  ///< owns its arrays, so that their addresses are not reused while they are compared
    Paint paint_;
    std::vector<Run> runs_;
};

}  // namespace gridstride::ui

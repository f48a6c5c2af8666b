// Cells as coloured rectangles: the drawing backend knows no textures but the font's.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <vector>

#include "lesson/plot.h"

namespace gridstride::ui {

/// The part of cells that is shown, from the upper left corner.
struct CellRegion {
    double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    bool operator==(const CellRegion&) const = default;
};

/// 0 … 1 along the shades.
double shade_of(const Cells& cells, const Cells::Numbers& numbers, double value);
/// Of shade 0 … 1.
ImU32 shade_color(Cells::Shades shades, double shade);

/// Which of the cells [first, last) of a row shows where they share a pixel: what is wrong, then what works
/// in the order of the kinds, then what waits. -1: none has a kind.
int strongest_kind(const Cells& cells, const Cells::Row& row, std::size_t first, std::size_t last);

/// Some cells as they are drawn at one size. Where a cell of lanes or of a map is narrower than a pixel, a
/// pixel shows the strongest of its kinds. Pictures have at most about 200 cells in the longer direction,
/// each the mean of the numbers that it covers (a box filter, parts of numbers by their area). Neighbours of
/// one colour in a row are one rectangle where no gap parts them.
class CellRuns {
 public:
    struct Run {
        float x0, y0, x1, y1;  ///< pixels from the upper left corner of what is shown
        ImU32 color;
    };
    struct Paint {
        std::size_t numbers = 0;  ///< which of the pictures; none in lanes
        CellRegion region;
        glm::vec2 pixels;
        std::vector<ImU32> kinds;  ///< their colours
        ImU32 not_a_number = 0;    ///< of cells that hold nothing else
        float gap = 0;             ///< pixels between cells of a row
        bool operator==(const Paint&) const = default;
    };
    /// Computes again only when something changed.
    void update(const Cells& cells, const Paint& paint);
    const std::vector<Run>& runs() const { return runs_; }

 private:
    Cells cells_;  ///< holds its arrays, so that no other can come to their address
    Paint paint_;
    std::vector<Run> runs_;
};

}  // namespace gridstride::ui

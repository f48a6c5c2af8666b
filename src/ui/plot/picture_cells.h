// A grey picture as coloured rectangles: the drawing backend knows no textures but the font's.
#pragma once

#include <imgui.h>

#include <cstdint>
#include <vector>

#include "lesson/plot.h"

namespace gridstride::ui {

/// The part of a picture that is shown, in elements.
struct PictureRegion {
    double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
    bool operator==(const PictureRegion&) const = default;
};

/// Cells of a picture as it is drawn at one size: at most about 200 in the longer direction, each the mean of
/// the elements that it covers (a box filter, parts of elements by their area); neighbours of one level in a
/// row are one rectangle. Where an element is larger than that, it is a cell.
class PictureCells {
 public:
    struct Run {
        float x0, y0, x1, y1;  ///< pixels from the picture's upper left corner
        ImU32 color;
    };
    /// Computes again only when something changed. not_a_number: of cells that hold nothing else.
    void update(const Picture& picture, PictureRegion region, glm::vec2 pixels, ImU32 not_a_number);
    const std::vector<Run>& runs() const { return runs_; }

 private:
    struct Key {
        ArrayRef values;  ///< held, so that no other array can come to its address
        std::uint32_t width = 0;
        double black = 0, white = 0;
        PictureRegion region;
        float pixels_x = 0, pixels_y = 0;
        ImU32 not_a_number = 0;
        bool operator==(const Key&) const = default;
    };
    Key key_;
    std::vector<Run> runs_;
};

}  // namespace gridstride::ui

// Draws a Plot (src/lesson/plot.h) and lets people explore it. ImPlot's vocabulary and mouse conventions:
// left-drag pans, the wheel zooms, double-click fits, right-drag zooms to a box, hover reads the nearest
// point, a click on a legend entry hides its series. The wheel is the plot's only while Ctrl is held or after
// a click into it: who reads and scrolls leaves it as it is.
#pragma once

#include <imgui.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/plot.h"
#include "present/axis.h"
#include "present/plot_csv.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

struct PlotState;

/// What the menu of a plot can write.
enum class PlotFile { csv, png };

/// A plot that is to be written to a file, as it was shown when that was chosen.
struct PlotWish {
    PlotFile file = PlotFile::csv;
    std::shared_ptr<const Plot> plot;
    glm::vec2 size;  ///< pixels, as it was shown; height 0: what the content wants
    bool stale = false;
};

/// What belongs to one plot beside its data: what the user did to it, and what its caller marks in it. Kept
/// by the caller between frames, and part of the picture that is saved.
struct PlotView {
    bool fitted = true;                                 ///< the axes follow the data
    double x_min = 0, x_max = 1, y_min = 0, y_max = 1;  ///< when not fitted; of the logarithm on a log axis
    std::vector<bool> hidden;
    /// Set by the caller: x at which there will be data, such as the values of a sweep that runs. The fit
    /// shows them from the start, and does not grow as data come.
    std::vector<double> x_values;
    std::vector<PlotRing> rings;  ///< set by the caller, of a figure or a map
    /// Set by the caller, of a figure: x at which there is nothing to show, such as a value that the device
    /// refuses. A cross stands there on the axis.
    std::vector<double> crosses;
    Subjects lit;                      ///< set by the caller: what is pointed at, in whichever picture
    Subjects pointed;                  ///< what is pointed at in this one, in the frame that was drawn last
    bool still = false;                ///< set by the caller: a picture for itself, without buttons
    std::optional<PlotWish> wish;      ///< chosen in the menu; the caller takes it
    std::shared_ptr<PlotState> state;  ///< what the plot remembers between frames; made when first drawn
};

/// A marker was dragged, or moved by keys: the parameter is to become this.
struct MarkerMove {
    std::string parameter;
    double value = 0;
};

/// Draws the plot without its title at the cursor, size pixels wide and high (height 0: what the content
/// wants). Cells and timelines take less than the height where they need less. stale dims it. id is the
/// widget id; its markers that can be moved are "<id>.marker.<parameter>".
std::optional<MarkerMove> draw_plot(std::string_view id, const Plot& plot, PlotView& view, glm::vec2 size,
                                    bool stale = false);

/// How high it is at least, to be read beside others: what its content wants, and of a figure, whose data
/// take any height, less than when it stands alone. Pixels, at this width.
float least_height(const Plot& plot, PlotView& view, float width);

/// The data alone in the rectangle, for a card: no axes, no words, nothing that the mouse or the keys act on.
void draw_small_plot(const Plot& plot, PlotView& view, const Rect& rect);

/// "measured", "computed" or "modelled": callers show it beside the title.
std::string_view origin_label(Origin origin);

}  // namespace gridstride::ui

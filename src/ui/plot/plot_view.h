// What is remembered of a plot beside its data.
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

}  // namespace gridstride::ui

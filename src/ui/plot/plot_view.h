// The state of a plot beside its data.
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

enum class PlotFile { csv, png };

/// A request to write a plot to a file, as it was shown at that moment.
struct PlotAction {
    PlotFile file = PlotFile::csv;
    std::shared_ptr<const Plot> plot;
    glm::vec2 size;  ///< in pixels, as shown; height 0: natural height
    bool is_stale = false;
};

/// The user's changes to a plot's view, and the caller's marks in it. The caller keeps it between frames; it
/// is also part of the saved picture.
struct PlotView {
    bool is_fitted = true;                              ///< the axes follow the data
    double x_min = 0, x_max = 1, y_min = 0, y_max = 1;  ///< if not fitted; logarithms on a log axis
    std::vector<bool> hidden;
    /// Set by the caller: x values that will have data, such as those of a running sweep. The fit includes
    /// them from the start, so that it does not grow.
    std::vector<double> x_values;
    std::vector<PlotHighlight> rings;  ///< set by the caller, for a figure or map
    /// Set by the caller, for a figure: x values without data, such as those that the device refuses. Each is
    /// marked with a cross on the axis.
    std::vector<double> crosses;
    HighlightIds highlighted;          ///< set by the caller: the subjects under the mouse, in any picture
    HighlightIds hovered;              ///< the subjects under the mouse in this plot, in the last frame
    bool is_static_image = false;      ///< set by the caller: a saved picture, without buttons
    std::optional<PlotAction> action;  ///< set by the menu; the caller takes it
    std::shared_ptr<PlotState> state;  ///< created by the first draw
};

/// A marker was dragged, or moved by keys: the parameter's new value.
struct MarkerMove {
    std::string parameter;
    double value = 0;
};

}  // namespace gridstride::ui

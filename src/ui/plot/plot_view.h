// Draws a Plot (src/lesson/plot.h) and lets people explore it. ImPlot's vocabulary and mouse conventions:
// left-drag pans, the wheel zooms, double-click fits, right-drag zooms to a box, hover reads the nearest
// point, a click on a legend entry hides its series. Where the plot stands in a panel that scrolls, the
// wheel scrolls the panel until the mouse has moved on the plot or clicked it, or Ctrl is held: scrolling
// past a plot leaves it as it is.
#pragma once

#include <imgui.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/plot.h"

namespace gridstride::ui {

struct PlotState;

/// What the menu of a plot can write.
enum class PlotFile { csv, png };

/// A plot that is to be written to a file, as it was shown when that was chosen.
struct PlotWish {
    PlotFile file = PlotFile::csv;
    Plot plot;
    ImVec2 size;  ///< pixels, as it was given to draw_plot(); height 0: what the content wants
    bool stale = false;
};

/// What the user did to one plot: its view and hidden series. Kept by the caller between frames.
struct PlotView {
    bool fitted = true;                                 ///< the axes follow the data
    double x_min = 0, x_max = 1, y_min = 0, y_max = 1;  ///< when not fitted; of the logarithm on a log axis
    std::vector<bool> hidden;
    /// Set by the caller: x at which there will be data, such as the values of a sweep that runs. The fit
    /// shows them from the start, and does not grow as data come.
    std::vector<double> x_values;
    std::optional<PlotWish> wish;      ///< chosen in the menu; the caller takes it
    std::shared_ptr<PlotState> state;  ///< what the plot remembers between frames; made when first drawn
};

/// Draws the plot without its title at the cursor, size pixels wide and high (height 0: what the content
/// wants). Pictures and timelines take less than the height where they need less. stale dims it. id is the
/// widget id.
void draw_plot(std::string_view id, const Plot& plot, PlotView& view, ImVec2 size, bool stale = false);

/// "measured", "computed" or "modelled": callers show it beside the title.
std::string_view origin_label(Origin origin);

/// Tick positions for [low, high]: 1, 2, 5 times a power of ten (P. Heckbert, "Nice numbers for graph
/// labels", Graphics Gems, 1990), about `wanted` of them; whole numbers only if asked.
std::vector<double> nice_ticks(double low, double high, int wanted, bool whole_numbers);
/// Powers of ten (and 2 and 5 between them when there is room) for a log axis over [low, high], low > 0.
std::vector<double> log_ticks(double low, double high, int wanted);
/// The plot's data as CSV text, one row a point: what its menu copies and saves.
std::string plot_csv(const Plot& plot);

}  // namespace gridstride::ui

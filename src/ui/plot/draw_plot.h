// Draws a Plot (src/lesson/plot.h) and lets people explore it. ImPlot's vocabulary and mouse conventions:
// left-drag pans, the wheel zooms, double-click fits, right-drag zooms to a box, hover reads the nearest
// point, a click on a legend entry hides its series. The wheel is the plot's only while Ctrl is held or after
// a click into it: who reads and scrolls leaves it as it is.
#pragma once

#include <optional>
#include <string_view>

#include "ui/plot/plot_view.h"

namespace gridstride::ui {

/// Draws the plot without its title at the cursor, size pixels wide and high (height 0: what the content
/// wants). Cells and timelines take less than the height where they need less. stale dims it. id is the
/// widget id; its markers that can be moved are "<id>.marker.<parameter>".
std::optional<MarkerMove> draw_plot(std::string_view id, const Plot& plot, PlotView& view, glm::vec2 size,
                                    bool stale = false);

/// How high it is at least, to be read beside others: what its content wants, and of a figure, whose data
/// take any height, less than when it stands alone. Pixels, at this width.
float min_height(const Plot& plot, PlotView& view, float width);

/// The data alone in the rectangle, for a card: no axes, no words, nothing that the mouse or the keys act on.
void draw_small_plot(const Plot& plot, PlotView& view, const Rect& rect);

/// "measured", "computed" or "modelled": callers show it beside the title.
std::string_view origin_label(Origin origin);

}  // namespace gridstride::ui

// Draws a Plot (src/lesson/plot.h) and lets the user explore it, with ImPlot's vocabulary and mouse
// conventions: left-drag pans, the wheel zooms, double-click fits, right-drag zooms to a box, hover reads the
// nearest point, a click on a legend entry hides its series. The wheel zooms only while Ctrl is held or after
// a click into the plot, so that it otherwise scrolls the panel.
#pragma once

#include <optional>
#include <string_view>

#include "ui/plot/plot_view.h"

namespace gridstride::ui {

/// Draws the plot without its title at the cursor. `size` is in pixels; height 0: natural height. Cells and
/// timelines use less height if they need less. `is_stale`: the data are drawn dimmed. `id`: the widget id;
/// the ids of movable markers are "<id>.marker.<parameter>". Returns the move of a marker in this frame, if
/// any.
std::optional<MarkerMove> draw_plot(std::string_view id, const Plot& plot, PlotView& view, glm::vec2 size,
                                    bool is_stale = false);

/// Returns the minimum height of the plot among others, in pixels, at this width: the natural height, or less
/// for a figure, because its data fit any height.
float min_height(const Plot& plot, PlotView& view, float width);

/// Draws only the data in the rectangle, for a card: no axes, no words, no mouse or keys.
void draw_small_plot(const Plot& plot, PlotView& view, const Rect& rect);

}  // namespace gridstride::ui

// Where the parts of a figure stand: data, ticks, titles, legend.
#pragma once

#include <imgui.h>

#include <vector>

#include "ui/plot/plot_state.h"

namespace gridstride::ui {

struct FigureLayout {
    PlotArea area;
    Range fit_x, fit_y;
    float legend_top = 0;
    float first_legend_row = 0;
    bool x_axis_below = true;     ///< numbers or names under the plot
    glm::vec2 title_right{0, 0};  ///< top right corner of the title of the axis that runs to the right
};

/// Lays the figure out in [origin, origin + size], settles what its axes show and fills the state's ticks and
/// titles.
FigureLayout lay_out(FigurePaint& paint, PlotView& view, glm::vec2 origin, glm::vec2 size,
                     const std::vector<LegendEntry>& legend);
/// What a figure wants when it is asked: rows of its bars, or the usual height.
float natural_height(const Figure& figure, float legend_space);
Type tick_type(const Axis& axis);
float widest(const std::vector<Tick>& ticks, Type type);

}  // namespace gridstride::ui

// The contents of the stage's tabs. Each draws itself at the cursor and fills the panel.
#pragma once

#include <string_view>

#include "ui/panels/workspace.h"

namespace gridstride::ui {

/// Height of one plot among several, in design pixels.
constexpr float stage_figure_height = 264;

/// `leading`: the first picture, as large as the panel; `all`: all pictures below each other.
enum class Pictures { leading, all };
void draw_picture_tab(Workspace& workspace, Pictures which);
void draw_time_tab(Workspace& workspace);
void draw_launch_tab(Workspace& workspace);

/// Draws buttons with the names of the other pictures, from the cursor to `right`, if one picture leads.
void draw_other_pictures(Workspace& workspace, float right);

/// Draws a plot that all lessons have, with its title and note. Returns false if there is none.
bool draw_common_plot(Workspace& workspace, std::string_view place, std::string_view id, float height);

}  // namespace gridstride::ui

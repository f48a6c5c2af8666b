// What stands under the stage's tabs. Each draws itself at the cursor of the panel that it fills.
#pragma once

#include <string_view>

#include "ui/panels/workspace.h"

namespace gridstride::ui {

/// Of a plot among others, in design pixels.
constexpr float stage_figure_height = 264;

/// The picture that leads, as large as the panel, or all of them below each other.
enum class Pictures { leading, all };
void draw_picture_tab(Workspace& workspace, Pictures which);
void draw_time_tab(Workspace& workspace);
void draw_launch_tab(Workspace& workspace);

/// The other pictures by name, from the cursor up to the right edge, where one leads.
void draw_other_pictures(Workspace& workspace, float right);

/// One that all lessons have, with its title and note; false while there is none.
bool draw_common_plot(Workspace& workspace, std::string_view place, std::string_view id, float height);

}  // namespace gridstride::ui

// What fills the window.
#pragma once

#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// All that a window of this size in pixels shows, within an ImGui frame.
void draw_desktop(Workspace& workspace, glm::vec2 window);

/// A menu whose upper right corner stands there. Escape closes it. False: it is closed; else
/// ImGui::EndPopup() ends it.
bool begin_menu(const char* name, glm::vec2 corner);

/// Those that have been in line for a second.
std::vector<JobState> jobs_in_bar(const Session& session);
glm::vec2 job_bar_size();
void draw_job_bar(Session& session, const std::vector<JobState>& jobs, const Rect& area);

void draw_top_bar(Workspace& workspace, const Rect& area);

}  // namespace gridstride::ui

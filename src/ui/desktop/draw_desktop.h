#pragma once

#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// Draws the whole window of this size, in pixels, within an ImGui frame.
void draw_desktop(Workspace& workspace, glm::vec2 window);

/// Begins a menu with this upper right corner. Escape closes it. Returns false if it is closed; otherwise the
/// caller ends it with ImGui::EndPopup().
bool begin_menu(const char* name, glm::vec2 corner);

/// Returns the jobs that have been queued or running for at least one second.
std::vector<JobState> jobs_to_show(const Session& session);
glm::vec2 job_bar_size();
void draw_job_bar(Session& session, const std::vector<JobState>& jobs, const Rect& area);

/// Draws Dialog::load_lessons: asks whether to load the lessons of Workspace::folder_question, and shows the
/// errors in them. Returns false when the dialog should close.
bool draw_folder_question(Workspace& workspace, const Rect& screen);
/// Draws Dialog::lesson_folders: the folders whose lessons are loaded at start. Returns false when the dialog
/// should close.
bool draw_folder_setting(Workspace& workspace, const Rect& screen);

void draw_top_bar(Workspace& workspace, const Rect& area);

}  // namespace gridstride::ui

#pragma once

#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// Draws the next lesson, and the predictions of this one with their outcomes.
void draw_last_page(Workspace& workspace, const Rect& area);

/// Returns null for the last entry of the course.
const CourseEntry* next_in_course(const CourseEntry& entry);

}  // namespace gridstride::ui

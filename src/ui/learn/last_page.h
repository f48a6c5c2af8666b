// The page behind a lesson's last step.
#pragma once

#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

/// Own predictions with what came out, and the lesson that is next.
void draw_last_page(Workspace& workspace, const Rect& area);

/// The lesson behind this one in the course; null: it is the last.
const CourseEntry* next_in_course(const Lesson& lesson);

}  // namespace gridstride::ui

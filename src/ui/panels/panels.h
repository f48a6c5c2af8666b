// The panels of the window. Each draws itself into a rectangle of the screen and acts on the session.
#pragma once

#include "ui/panels/workspace.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

void draw_top_bar(Workspace& workspace, const Rect& area);
void draw_story_panel(Workspace& workspace, const Rect& area);
void draw_stage_panel(Workspace& workspace, const Rect& area);
void draw_bench_panel(Workspace& workspace, const Rect& area);
void draw_runs_panel(Workspace& workspace, const Rect& area);
/// Asks where to write the runs or the newest sweep; does nothing while there are none.
void open_export(Workspace& workspace, ExportWhat what = ExportWhat::runs);
/// The dialogs that are open: keys, export, comparison.
void draw_dialogs(Workspace& workspace, const Rect& screen);

}  // namespace gridstride::ui

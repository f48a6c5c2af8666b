// The heading and the rows of the table of runs. While a question is open, the result columns are empty.
#pragma once

#include "session/session.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

void draw_runs_heading(const Session& session, const Rect& area);
/// Draws a row at the cursor, as wide as the panel. A click selects the run.
void draw_run_row(Session& session, const HistoryEntry& entry, float height);

}  // namespace gridstride::ui

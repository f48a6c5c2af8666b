// The table of runs: its heading and its rows. While a question is open, its columns of results stay empty.
#pragma once

#include "session/session.h"
#include "ui/widgets/rect.h"

namespace gridstride::ui {

void draw_runs_heading(const Session& session, const Rect& area);
/// At the cursor, as wide as the panel. A click selects the run.
void draw_run_row(Session& session, const HistoryEntry& entry, float height);

}  // namespace gridstride::ui

// The Sweep tab: a form, then the sweep as it fills in, its best cell, and the usual advice against it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "session/advice.h"
#include "session/sweep_figure.h"
#include "session/sweep_form.h"
#include "session/sweep_words.h"

namespace gridstride::ui {

struct Workspace;

/// The form of the lesson that is open, and what was said of it last.
struct SweepDraft {
    SweepForm form;
    bool open = false;  ///< shown although there is a sweep
    std::optional<ExaminedForm> examined;
    /// What it was examined for.
    SweepForm examined_form;
    Experiment examined_experiment;
};

/// What is drawn of the newest sweep, made anew only when it changed.
struct SweepView {
    std::uint64_t revision = 0;
    double made_at = -1;      ///< on ImGui's clock
    std::size_t variant = 0;  ///< the one that the map shows
    std::optional<SweepLines> lines;
    std::optional<SweepMap> map;
    std::optional<BestCell> found;
    BestWords best;
    std::vector<std::string> without_time;
    std::vector<Advice> advice;
};

/// Draws the tab's content at the cursor.
void draw_sweep_panel(Workspace& workspace);
/// Draws the form; starts the sweep. Needs a device.
void draw_sweep_form(Workspace& workspace, SweepDraft& draft);
/// The draft of the lesson that is open.
SweepDraft& sweep_draft(Workspace& workspace);

}  // namespace gridstride::ui

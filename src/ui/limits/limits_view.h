// The stage's Limits tab: where the run stands under the ceilings of its device, and what limits it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "explain/run_limits.h"
#include "session/session.h"
#include "ui/plot/plot_view.h"

namespace gridstride::ui {

/// A request of the user that other parts of the window fulfil.
struct LimitsAction {
    enum class Kind { open_lesson, sweep, show_accesses } kind;
    std::string id;  ///< of the lesson, or of the parameter to sweep
};

struct LimitsView {
    // The run and the trace that `limits` is about.
    std::string run_id;
    std::shared_ptr<const AnalyzedTrace> trace;
    RunLimits limits;
    std::optional<Plot> plot;
    PlotView plot_view;
};

/// Draws the tab at the cursor, as wide as the panel. Returns what the user asked for.
std::optional<LimitsAction> draw_limits(LimitsView& view, Session& session);

}  // namespace gridstride::ui

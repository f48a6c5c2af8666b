// The stage's Time tab: where the time goes, rates beside the device's ceilings, and the distribution of the
// samples.

#include "base/units.h"
#include "present/run_times.h"
#include "present/verdict_text.h"
#include "ui/limits/rates.h"
#include "ui/panels/panels.h"
#include "ui/panels/stage_tabs.h"

namespace gridstride::ui {

namespace {

constexpr float sample_height = 200;

/// One row for the GPU and one for each CPU baseline, with the axis below.
float time_bars_height(const Session& session) {
    return 92 + 36 * (session.lesson().baseline ? static_cast<float>(baseline_threads.size()) : 0);
}

}  // namespace

void draw_time_tab(Workspace& workspace) {
    Session& session = workspace.session;
    if (!draw_common_plot(workspace, "timings", "where_the_time_goes", time_bars_height(session))) {
        named_text("timings.why_none", TextStyle::body, theme().palette().text,
                   no_times_reason(session.report()));
        gap(20);
    }
    if (session.report()) draw_rates(*session.report(), session.is_dimmed());
    draw_common_plot(workspace, "timings", "time_per_variant", sample_height);
    if (button("timings.all", tr("Run all variants"),
               {.is_enabled = session.bench().is_valid() && session.device() != nullptr}))
        session.run_all_variants();
    if (session.kernel_edit()) {
        gap(8);
        const std::string words = tr("{} runs with your {}, the other variants with the lesson's own.",
                                     session.bench().variant(), session.lesson().user_source().noun);
        named_text("timings.all.said", TextStyle::note, theme().text_color(ColorRole::kernel), words);
    }
    gap(20);
    draw_common_plot(workspace, "timings", "roofline", stage_figure_height);
    draw_common_plot(workspace, "timings", "kernel_samples", sample_height);
    draw_common_plot(workspace, "timings", "time_history", sample_height);
}

}  // namespace gridstride::ui

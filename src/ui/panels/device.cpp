
#include "base/utc_time.h"
#include "present/verdict_text.h"
#include "ui/panels/panels.h"

namespace gridstride::ui {

bool draw_device(Session& session) {
    const Limits& device = *session.device();
    text_wrapped(TextStyle::body_strong, theme().palette().text, device.device_name);
    note_text(device.driver_version);
    gap(8);
    const Report* report = session.report();
    if (report && report->ceilings) {
        std::vector<NumberRow> rows;
        for (auto& [what, number] : ceiling_rows(*report->ceilings))
            rows.push_back({std::move(what), std::move(number)});
        draw_number_box(rows);
        gap(4);
        note_text(tr("Measured {}: the best of several rounds. Other load on the machine lowers them.",
                     format_utc_minute(report->ceilings->measured_utc)));
    } else {
        note_text(tr("The first run measures the ceilings of this device."));
    }
    gap(8);
    const char* const tooltip_text = session.hides_results() ? tr("Answer the question first") : "";
    if (!button("device.measure", tr("Measure again"),
                {.is_enabled = session.can_run(), .tooltip = tooltip_text}))
        return false;
    session.measure_ceilings();
    return true;
}

}  // namespace gridstride::ui

#include "ui/panels/occupancy_words.h"

#include "launch/occupancy.h"
#include "present/occupancy_figure.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

void draw_occupancy_words(const Session& session) {
    if (!session.asked() || !session.asked()->valid()) return;
    const Prepared& asked = *session.asked();
    if (!occupancy_picture(asked, 0)) {
        section_label("Occupancy of a multiprocessor");
        gap(4);
    }
    for (const std::string& sentence :
         occupancy_in_words(asked.plan.main(), known_registers(session), asked.limits))
        text_wrapped(Type::note, theme().palette().quiet, sentence);
    gap(20);
}

std::uint32_t known_registers(const Session& session) {
    const Report* report = session.report();
    const bool same = report && report->experiment.variant == session.variant() &&
                      !report->experiment.kernel &&
                      report->launch.workgroup == workgroup_of(session.values());
    return same ? report->launch.registers : 0;
}

}  // namespace gridstride::ui

// The rates of a run beside the ceilings of its device.
#pragma once

#include <string>

#include "lesson/report.h"

namespace gridstride::ui {

/// Draws the rates of a run beside the device's ceilings, for kernel, upload and download, with remarks.
/// Draws nothing before a measured run.
void draw_rates(const Report& report, bool is_stale);
/// Formats a fraction of a ceiling: "73 %", "1.6 %", "<0.01 %"; ">100 %" if the ceiling does not bound this
/// rate (see over_ceiling_reason()).
std::string format_ceiling_percent(double fraction);

}  // namespace gridstride::ui

// The rates of a run beside the device's ceilings, and what the ceilings are.
#pragma once

#include <string>

#include "lesson/report.h"

namespace gridstride::ui {

/// The share of a ceiling in few characters: "73 %", "1.6 %", "<0.01 %".
std::string short_percent(double fraction);

/// Rows for kernel, upload and download, then the ceilings as sentences. Nothing before a measured run.
void draw_rates(const Report& report, bool stale);

}  // namespace gridstride::ui

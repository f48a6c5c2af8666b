// The rates of a run beside the device's ceilings, and what the ceilings are.
#pragma once

#include "lesson/report.h"

namespace gridstride::ui {

/// Rows for kernel, upload and download, then the ceilings as sentences. Nothing before a measured run.
void draw_rates(const Report& report, bool stale);

}  // namespace gridstride::ui

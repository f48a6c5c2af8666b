// Collects the remarks on a run beside its verdict, for the window, the terminal and JSON.
#pragma once

#include <string>
#include <vector>

#include "lesson/remark.h"
#include "lesson/report.h"

namespace gridstride {

/// Returns the remarks on the run's values and result: those beside the controls, then the verdict's notes.
std::vector<Remark> result_remarks(const Report& report);

/// Returns the remarks on how the run was measured: batched, cut into slices, warm or cold cache, above a
/// ceiling, noisy, on a software device. Empty if nothing was measured.
std::vector<Remark> measurement_remarks(const Report& report);

/// Explains why a rate exceeds 100 % of its ceiling. Empty if none does.
std::string over_ceiling_reason(const Report& report);

std::vector<Remark> all_remarks(const Report& report);

/// Returns "--element-type: The sum of your numbers …": the control's command-line flag, then the remark.
std::string describe_remark(const Remark& remark);

}  // namespace gridstride

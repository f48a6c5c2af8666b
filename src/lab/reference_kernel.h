// References that a kernel computes: the lab has them computed by a process of its own on a software device,
// where they can neither hang nor crash the lab, and where no defect of the measured device affects them.
#pragma once

#include <functional>

#include "lab/control.h"
#include "lab/request.h"
#include "lesson/lesson.h"

namespace gridstride::lab {

/// Runs a request on a software device in another process, and returns its final report. Throws NoDevice if
/// this machine has no such device, and RunAborted if the control ends the run.
using RunReference = std::function<Report(Request request, const Control& control)>;

/// Runs the kernel of `expected` with the settings of the experiment, in at most half of the time that is
/// left, and returns the reference; if it cannot be computed, one without numbers and with Expected::failure.
/// Throws RunAborted if the control ends the run.
Expected compute_reference(const Expected& expected, const PreparedExperiment& prepared,
                           const RunReference& run_reference, const Control& control);

}  // namespace gridstride::lab

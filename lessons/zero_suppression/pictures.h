#pragma once

#include <vector>

#include "lesson/lesson.h"
#include "zero_suppression/parameters.h"

namespace gridstride::lessons::zero_suppression {

/// Measured, once there is a report: "waveform", before and after on one axis; "removed", what was taken away
/// of the first samples; "amplitudes", how often each value occurs and which side of the threshold it is on;
/// "times", the last kernel time of each variant with as many samples; for compact "compaction", where some
/// survivors went. Computed: "who", which invocation takes which of the first samples.
std::vector<Plot> plots(const PlotInput& input);

}  // namespace gridstride::lessons::zero_suppression

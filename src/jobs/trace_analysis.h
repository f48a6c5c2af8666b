// Analyzes the trace in a report of the lab.
#pragma once

#include <vector>

#include "lesson/analyzed_trace.h"

namespace gridstride {

/// Returns the traced metrics of a run. If there is no usable trace, they have no values and each one states
/// the reason.
std::vector<TraceMetric> trace_metrics(const Report& report);

/// Takes longer than a frame. Can be called on any thread.
AnalyzedTrace analyze_trace(Report report);

}  // namespace gridstride

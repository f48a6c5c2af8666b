// Analyzes the trace in a report of the lab.
#pragma once

#include <vector>

#include "lesson/taken_recording.h"

namespace gridstride {

/// Returns the traced metrics of a run. If there is no usable trace, they have no values and each one states
/// the reason.
std::vector<RecordedMetric> numbers_of_recording(const Report& report);

/// Takes longer than a frame. Can be called on any thread.
TakenRecording taken_apart(Report report);

}  // namespace gridstride

// Makes a recording of what the lab reports, and says what it comes to.
#pragma once

#include <vector>

#include "lesson/taken_recording.h"

namespace gridstride {

/// What a recording says in numbers; without values, each with the reason, where there is none.
std::vector<RecordedMetric> numbers_of_recording(const Report& report);

/// On any thread: it takes longer than a frame may.
TakenRecording taken_apart(Report report);

}  // namespace gridstride

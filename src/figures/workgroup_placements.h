// Where and when the traced workgroups ran, on devices that report it.
#pragma once

#include <span>

#include "figures/trace_pictures.h"

namespace gridstride {

/// Draws a row per multiprocessor and a cell per span of time, with the number of workgroups that were there.
/// Tracing changes the timing, so the time has no unit. No rows: the device does not report it.
TraceCells draw_placements(const trace::Trace& trace, std::span<const trace::Record> records);

}  // namespace gridstride

// Active lanes over time: which lanes of a subgroup executed a line together, and which way they went.
#pragma once

#include <span>

#include "figures/trace_pictures.h"

namespace gridstride {

/// Draws the first traced workgroup: a row for each time that a subgroup executed a line that accesses
/// memory or branches, and a cell for each lane. Of many rows, evenly spaced ones are shown.
TraceCells draw_lanes(const trace::Trace& trace, std::span<const trace::Record> records);

}  // namespace gridstride

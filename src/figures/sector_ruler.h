// The sector ruler: which sectors of memory a load fetches, and which of their words a lane uses. A cell is 4
// bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "figures/trace_pictures.h"

namespace gridstride {

/// The bytes that one lane loads.
struct LaneRead {
    std::uint64_t lane = 0;
    std::uint64_t byte = 0;  ///< offset in the buffer, which begins at a sector boundary
    std::uint64_t bytes = 4;
};

/// Draws the modelled sectors of one load, for an example that was not run.
Cells draw_load_sectors(const std::string& label, std::span<const LaneRead> reads);

/// Draws the first loads of the first traced subgroup, for each source line that loads from a buffer.
TraceCells draw_first_load_sectors(const trace::Trace& trace, std::span<const trace::Record> records);

}  // namespace gridstride

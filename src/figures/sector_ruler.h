// The sector ruler: which sectors of memory a request needs, and which of their words a lane uses. A cell is
// 4 bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "figures/trace_pictures.h"

namespace gridstride {

/// The bytes that one lane accesses.
struct LaneAccess {
    std::uint64_t lane = 0;
    std::uint64_t byte = 0;  ///< offset in the buffer, which begins at a sector boundary
    std::uint64_t bytes = 4;
};

/// Draws the modelled sectors of one load, for an example that was not run.
Cells draw_load_sectors(const std::string& label, std::span<const LaneAccess> accesses);

/// Draws the first loads, and stores if `with_stores`, of the first traced subgroup, for each source line
/// that accesses a buffer.
TraceCells draw_first_sectors(const trace::Trace& trace, std::span<const trace::Record> records,
                              bool with_stores);

}  // namespace gridstride

// The sector ruler: which pieces of memory a load fetches, and what of them some lane uses. A cell is 4
// bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "figures/recorded_pictures.h"

namespace gridstride {

/// What one lane asks for.
struct LaneRead {
    std::uint64_t lane = 0;
    std::uint64_t byte = 0;  ///< of the buffer, which begins with a sector
    std::uint64_t bytes = 4;
};

/// As modelled: the sectors of one load, for an example that nobody ran.
Cells sectors_of_load(const std::string& label, std::span<const LaneRead> reads);

/// Of the first subgroup that was recorded: its first loads at each line that loads from a buffer.
RecordedCells sectors_of_first_loads(const trace::Trace& trace, std::span<const trace::Record> records);

}  // namespace gridstride

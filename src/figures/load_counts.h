// Pictures of how often each element of a buffer is loaded.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "figures/recorded_pictures.h"

namespace gridstride {

struct CountedBuffer {
    std::string name;
    std::uint64_t columns = 0;  ///< elements per row of the picture
};

/// Draws a picture for each of these buffers of 4-byte elements, one cell per element: how often the traced
/// workgroups loaded it.
RecordedCells load_counts_of(const trace::Trace& trace, std::span<const trace::Record> records,
                             std::span<const CountedBuffer> buffers);

/// Draws the first rows of one buffer, one row of cells each; long rows are sampled evenly.
RecordedCells load_counts_of_rows(const trace::Trace& trace, std::span<const trace::Record> records,
                                  const CountedBuffer& buffer);

// For Figures::recorded().
inline DrawRecorded load_counts_of(std::vector<CountedBuffer> buffers) {
    return [=](const auto& trace, auto records) { return load_counts_of(trace, records, buffers); };
}
inline DrawRecorded load_counts_of_rows(CountedBuffer buffer) {
    return [=](const auto& trace, auto records) { return load_counts_of_rows(trace, records, buffer); };
}

}  // namespace gridstride

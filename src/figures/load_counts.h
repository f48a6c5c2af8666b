// Pictures of how often each element of a buffer is loaded.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "figures/trace_pictures.h"

namespace gridstride {

struct CountedBuffer {
    std::string name;
    std::uint64_t columns = 0;  ///< elements per row of the picture
};

/// Draws a picture for each of these buffers of 4-byte elements, one cell per element: how often the traced
/// workgroups loaded it.
TraceCells draw_load_counts(const trace::Trace& trace, std::span<const trace::Record> records,
                            std::span<const CountedBuffer> buffers);

/// Draws the first rows of one buffer, one row of cells each; long rows are sampled evenly.
TraceCells draw_row_load_counts(const trace::Trace& trace, std::span<const trace::Record> records,
                                const CountedBuffer& buffer);

// For Figures::traced().
inline DrawTrace draw_load_counts(std::vector<CountedBuffer> buffers) {
    return [=](const auto& trace, auto records) { return draw_load_counts(trace, records, buffers); };
}
inline DrawTrace draw_row_load_counts(CountedBuffer buffer) {
    return [=](const auto& trace, auto records) { return draw_row_load_counts(trace, records, buffer); };
}

}  // namespace gridstride

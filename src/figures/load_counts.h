// How often each element of a buffer is fetched from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "figures/recorded_pictures.h"

namespace gridstride {

struct CountedBuffer {
    std::string name;
    std::uint64_t columns = 0;  ///< elements a row of its picture
};

/// A picture of each of these buffers, of elements of 4 bytes, a cell an element: how often the recorded
/// workgroups loaded it.
RecordedCells load_counts_of(const trace::Trace& trace, std::span<const trace::Record> records,
                             std::span<const CountedBuffer> buffers);

/// The same of the first rows of one buffer, a row of cells for each; of long ones elements that are evenly
/// spread.
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

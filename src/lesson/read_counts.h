// How often each number of a matrix is read, from a recording.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lesson/recorded_pictures.h"

namespace gridstride {

/// A row of cells for each of the first rows of the matrix that stands in this buffer, so many numbers to a
/// row; of long ones numbers that are evenly spread. noun: what an element is called, "number".
RecordedCells read_counts_of(const trace::Trace& trace, std::span<const trace::Record> records,
                             std::string_view buffer, std::uint64_t columns, const std::string& noun);

}  // namespace gridstride

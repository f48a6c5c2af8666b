// A short name for the content of an array.
#pragma once

#include <cstdint>

#include "base/array.h"

namespace gridstride {

/// Equal for equal numbers, whatever type they are stored as: the CRC-32 (zlib.crc32 in Python) of the
/// numbers as little endian f64. One that is not whole counts as the nearest f32, which is what lessons
/// compute with: 0.1 in a text and 0.1 as f32 are the same input. All NaN are one, and -0 is 0.
std::uint32_t checksum_of_numbers(const Array& numbers);

}  // namespace gridstride

// What a right run would give, without a device: for pictures before the first run.
#pragma once

#include <cstdint>

#include "lesson/lesson.h"

namespace gridstride {

/// Above so many elements a reference takes longer than a person waits for a picture.
constexpr std::uint64_t max_computed_elements = std::uint64_t{1} << 20;

/// The input, and its reference in place of the outputs, of the outputs' own types; `computed` is set, and
/// nothing is timed. `prepared` must be valid.
Report computed_report(const Prepared& prepared);

}  // namespace gridstride

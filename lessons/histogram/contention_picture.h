#pragma once

#include <span>

#include "histogram/bins.h"
#include "histogram/ways.h"
#include "lesson/plot.h"

namespace gridstride::lessons::histogram {

/// How many of the first numbers the picture looks at.
std::uint64_t contention_numbers(const Limits& limits);

/// Which invocations of a subgroup count in the same word of memory in one step, for the first steps. The
/// steps are those of workgroup 0 when the grid is large: one number an invocation, or the four of a quad one
/// by one.
Plot contention_picture(std::span<const float> first_numbers, const Bins& bins, Way way,
                        std::uint64_t workgroup_size, const Limits& limits);

}  // namespace gridstride::lessons::histogram

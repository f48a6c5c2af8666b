#pragma once

#include "lesson/limits.h"
#include "lesson/plot.h"
#include "reduction/ways.h"

namespace gridstride::lessons::reduction {

/// Which invocations of workgroup 0 add, and whose values they read, level by level.
/// numbers: how many the launch runs over; passes: how often the workgroup goes over the grid.
Plot tree_picture(Way way, std::uint64_t workgroup_size, std::uint64_t numbers, std::uint64_t passes,
                  const Limits& limits);

}  // namespace gridstride::lessons::reduction

#pragma once

#include <vector>

#include "lesson/lesson.h"

namespace gridstride::lessons::histogram {

/// "counts", measured: the GPU's and the CPU's; "lost", for race: lost counts, bin by bin; "contention",
/// computed: which invocations of a subgroup meet in a bin; "time_against_spread", measured, once two runs
/// differ in nothing but the spread and the variant.
std::vector<Plot> plots(const PlotInput& input);

}  // namespace gridstride::lessons::histogram

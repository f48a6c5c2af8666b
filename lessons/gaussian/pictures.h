#pragma once

#include <vector>

#include "lesson/lesson.h"

namespace gridstride::lessons::gaussian {

/// "curve", computed, with a sample of the run's densities once there are some; "ulp_error": how far a
/// sample of them is from the definition; "with_and_without_transfers": the GPU's time, with its parts,
/// beside the CPU's; "break_even": see break_even.h.
std::vector<Plot> plots(const PlotInput& input);

}  // namespace gridstride::lessons::gaussian

#pragma once

#include <vector>

#include "lesson/lesson.h"
#include "reduction/parameters.h"

namespace gridstride::lessons::reduction {

/// "partial_sums", measured, once there is a report; "tree", computed: which invocations of workgroup 0 add
/// at each level; "order", computed, for f32: how far the order of the additions takes a sum from the exact
/// one.
std::vector<Plot> plots(const PlotInput& input);

}  // namespace gridstride::lessons::reduction

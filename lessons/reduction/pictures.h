#pragma once

#include <string_view>
#include <vector>

#include "lesson/plot.h"
#include "lesson/report.h"
#include "reduction/parameters.h"

namespace gridstride::lessons::reduction {

/// "partial_sums", measured, once there is a report; "tree", computed: which invocations of workgroup 0 add
/// at each level; "order", computed, for f32: how far the order of the additions takes a sum from the exact
/// one.
std::vector<Plot> plots(const Values& values, std::string_view variant, const Limits& limits,
                        const Report* report);

}  // namespace gridstride::lessons::reduction

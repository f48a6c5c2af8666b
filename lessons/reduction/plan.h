#pragma once

#include <string_view>

#include "lesson/plan.h"
#include "reduction/parameters.h"

namespace gridstride::lessons::reduction {

/// Buffers "numbers", "partial_sums" (but for atomic_global), "total" (unless the CPU adds the partial sums;
/// the host array of that name is there either way) and, for single_pass, "ticket".
Plan plan(const Values& values, std::string_view variant, const Limits& limits);

}  // namespace gridstride::lessons::reduction

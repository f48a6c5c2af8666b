#pragma once

#include <string_view>

#include "histogram/parameters.h"
#include "lesson/plan.h"

namespace gridstride::lessons::histogram {

/// Buffers "values", "counts" (u32, one a bin) and "ignored" (u32, one).
Plan plan(const Values& values, std::string_view variant, const Limits& limits);

}  // namespace gridstride::lessons::histogram

#pragma once

#include <string_view>

#include "gaussian/parameters.h"
#include "lesson/plan.h"

namespace gridstride::lessons::gaussian {

/// Buffers "x" and "densities", both f32 whatever the kernel computes in: the variants then move the same
/// bytes, 4 in and 4 out for each element, and differ in nothing but the arithmetic and the launch.
Plan plan(const Values& values, std::string_view variant, const Limits& limits);

}  // namespace gridstride::lessons::gaussian

#pragma once

#include "gaussian/parameters.h"
#include "lesson/data.h"

namespace gridstride::lessons::gaussian {

/// "x": f32, 6 u - 3 in double, rounded once, where u is uniform in [0, 1) from stream 0 of the seed. The
/// largest u is 1 - 2^-24, whose x is still below 3 in f32.
Input input(const Values& values);

}  // namespace gridstride::lessons::gaussian

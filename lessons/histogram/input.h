#pragma once

#include "histogram/parameters.h"
#include "lesson/data.h"

namespace gridstride::lessons::histogram {

/// "values": f32, normal with mean 0 and standard deviation `spread`, stream 0 of the seed.
Input input(const Values& values);

/// The user's numbers, each rounded to f32. NaN and infinities are welcome: they are ignored like anything
/// else outside the range.
Input input_from_user(const UserData& data, const Values& values);

}  // namespace gridstride::lessons::histogram

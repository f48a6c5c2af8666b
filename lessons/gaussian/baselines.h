// The same densities on the CPU, in f32 as in the kernels, to compare times with.
#pragma once

#include "gaussian/parameters.h"
#include "lesson/data.h"

namespace gridstride::lessons::gaussian {

/// Both write every density to memory, as the kernels do, into a buffer that stays allocated between calls,
/// as the device's does, and return the densities' sum.
double one_thread(const Input& input, const Values& values);
double all_threads(const Input& input, const Values& values);

}  // namespace gridstride::lessons::gaussian

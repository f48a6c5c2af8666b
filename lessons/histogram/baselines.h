// CPU implementations to compare times with.
#pragma once

#include "histogram/parameters.h"
#include "lesson/data.h"

namespace gridstride::lessons::histogram {

/// The sum of all counts, each times its bin's number counted from 1.
double one_thread(const Input& input, const Values& values);
double all_threads(const Input& input, const Values& values);

}  // namespace gridstride::lessons::histogram

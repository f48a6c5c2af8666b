// The same work on the CPU, written to be fast: the times that the GPU is compared with.
#pragma once

#include "lesson/data.h"
#include "zero_suppression/parameters.h"

namespace gridstride::lessons::zero_suppression {

/// Silence all samples and return how many are not 0 afterwards.
double one_thread(const Input& input, const Values& values);
double all_threads(const Input& input, const Values& values);

}  // namespace gridstride::lessons::zero_suppression

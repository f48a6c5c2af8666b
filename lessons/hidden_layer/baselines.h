// The layer on the CPU, written to be fast: the time that the GPU is compared with. One pass over memory, as
// in the fused kernel, in a form that compilers turn into vector instructions.
#pragma once

#include "hidden_layer/parameters.h"
#include "lesson/data.h"

namespace gridstride::lessons::hidden_layer {

/// tanh within some units in the last place, by the kernels' formulas and an exp of its own.
float fast_tanh(float v);

/// Computes all activations into an array of their own; their sum.
double one_thread(const Input& input, const Values& values);
double all_threads(const Input& input, const Values& values);

}  // namespace gridstride::lessons::hidden_layer

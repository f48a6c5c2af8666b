// Computes elementwise tensors on the CPU in f32, for times to compare with.
#pragma once

#include "lesson/lesson.h"
#include "tensor/graph.h"

namespace gridstride::tensor_lesson {

/// Throws Refusal unless the tensor is computed from whole arrays of f32 of its size, and from numbers, by
/// elementwise operations.
void require_baseline(const tensor::Tensor& result);

/// Computes every element of such a tensor in blocks that fit the cache, as vectors where the compiler can,
/// and returns a number that depends on them. Input arrays are found by name. See Baseline.
double run_baseline(const tensor::Tensor& result, const Input& input, SumRanges sum_ranges);

}  // namespace gridstride::tensor_lesson

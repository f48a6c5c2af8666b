// Computes elementwise tensors, and sums of rows, on the CPU in f32, for times to compare with.
#pragma once

#include "graph/graph.h"
#include "lesson/lesson.h"

namespace gridstride::tensor_lesson {

/// Throws Refusal unless the tensor is computed from whole arrays of f32 of its size, and from numbers, by
/// elementwise operations. There may be one sum over the rows of a matrix, to which zeros may be added at the
/// end; the arrays then have the size of the matrix without them, and the result has one element for each
/// row.
void require_baseline(const tensor::Tensor& result);

/// Computes every element of such a tensor in blocks that fit the cache, as vectors where the compiler can,
/// and returns a number that depends on them. Input arrays are found by name. See Baseline.
double run_baseline(const tensor::Tensor& result, const Input& input, SumRanges sum_ranges);

}  // namespace gridstride::tensor_lesson

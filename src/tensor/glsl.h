// Kernels made from groups of a graph, as GLSL that a person can read: a line for each node.
#pragma once

#include "tensor/kernel_writer.h"

namespace gridstride::tensor {

/// Of a kernel of somebody's own, which is what all of the group is made by: the source declares its tensors,
/// and its text has words for their names, on the lines that it has in its file.
Kernel own_kernel(const Graph& graph, const Group& group);

/// Of operations element by element: four elements of an invocation at a time.
Kernel elementwise_kernel(const Graph& graph, const Group& group);

/// Of a group that a product leads: what follows on its numbers before they are left. a, b and c are at the
/// bindings before those of `reads`, and the constants of shaders/matmul/tile.glsl before its own.
Kernel product_kernel(const Graph& graph, const Group& group);

/// What a reduction in two launches leaves between them, at the place of what is read or written.
enum class Stage { whole, first, second };

/// Of a group that a sum or maximum leads. The first constant is left for how many share a result, and its
/// own push constants are numbers, parts and part_numbers: see shaders/tensor/reduce.glsl. Of the first stage
/// nothing is among writes, of the second the parts are not among reads: they are bound behind or before.
Kernel reduction_kernel(const Graph& graph, const Group& group, Stage stage);

}  // namespace gridstride::tensor

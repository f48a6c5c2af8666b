// Generates readable GLSL kernels from groups of a graph, with one line per node.
#pragma once

#include "launch/limits.h"
#include "tensor/kernel_writer.h"

namespace gridstride::tensor {

/// Generates the source for a user's kernel that computes all nodes of the group. The generated part declares
/// its tensors; the user's text, with GLSL identifiers in place of tensor names, keeps its line numbers.
Kernel generate_user_kernel(const Graph& graph, const Group& group);

/// Returns whether a user's kernel reads or writes f16, which are float16_t in its text.
bool uses_f16(const Graph& graph, const Group& group);

/// Generates a kernel for elementwise operations. Each invocation processes four elements at a time.
Kernel generate_elementwise_kernel(const Graph& graph, const Group& group);

/// Generates the kernel of a group that begins with a product of two matrices. Its tail consists of the
/// operations on the results before they are stored. The bindings of a, b and c precede those of `reads`, and
/// the constants of shaders/matmul/tile.glsl, or halves.glsl for factors of f16, precede the kernel's own.
Kernel generate_product_kernel(const Graph& graph, const Group& group, const Limits& limits);

/// A reduction in one launch, or the first or second of two launches with partial results between them.
enum class Stage { whole, first, second };

/// Returns the type of a partial result of a reduction: two words for argmax, a number's order and its index.
ElementType partial_type(const Node& lead);
/// Returns the operands of a reduction as views with the extents of the results, and then the reduced axis.
/// Those of a product of batches are repeated along the other's rows or columns, and multiplied.
std::vector<Source> reduction_operands(const Node& lead);
/// Generates a kernel for a group that begins with a reduction over an axis, or a product of batches. Its
/// first constant is the number of invocations per result, and its push constants are numbers, parts and
/// part_numbers: see shaders/tensor/reduce.glsl. The buffer of partial results is not listed in the kernel:
/// the caller binds it behind all others in the first stage, where `writes` is empty, and before all others
/// in the second.
Kernel generate_reduction_kernel(const Graph& graph, const Group& group, Stage stage);

}  // namespace gridstride::tensor

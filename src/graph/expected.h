// The expected outputs of a graph, with error bounds for devices that compute in f32.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "graph/graph.h"
#include "lesson/experiment.h"

namespace gridstride::tensor {

/// Returns the expected outputs of the graph. Input arrays are found by name. The tolerance of each number
/// bounds the errors of all operations that contribute to it. Bytes are exact, unless their number may lie on
/// either side of a midpoint: see tensor/quantization.h.
///
/// A result of a user's kernel is defined by its first expectation. Without one, it and everything computed
/// from it has no reference, and a note says so. Further expectations are compared in addition. Notes also
/// say where NaN is allowed, and where the input leads to NaN. Throws Refusal for a result whose definition
/// depends on itself.
std::vector<Expected> expected(const Graph& graph, const Input& input);
/// Returns only those that come from an expectation of the graph.
std::vector<Expected> expected_by_graph(const Graph& graph, const Input& input);

/// Returns the elements of a tensor, computed in double and converted once, to `type`. Input arrays are found
/// by name. It must not depend on a user's kernel.
Array evaluate(const Tensor& tensor, const Input& input, ElementType type);
inline Array evaluate(const Tensor& tensor, const Input& input) {
    return evaluate(tensor, input, tensor.type());
}

/// Returns what it costs to evaluate a tensor and all that it depends on, in operations on single elements.
std::uint64_t evaluation_cost(const Tensor& tensor);

/// Returns a kernel result without an expectation on which the node depends; nullopt if there is none.
std::optional<std::size_t> find_unknown_result(const Graph& graph, std::size_t node);

/// Throws Refusal if the definition of a kernel's result depends on that result.
void require_acyclic_definitions(const Graph& graph);

}  // namespace gridstride::tensor

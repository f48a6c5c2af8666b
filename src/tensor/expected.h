// What a graph comes to, by the definitions of its operations, with how far a device that computes in f32 may
// be from it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "lesson/experiment.h"
#include "tensor/graph.h"

namespace gridstride::tensor {

/// What the graph's outputs must be, from the input arrays of its names. The tolerance of each number is a
/// bound: the errors of all operations behind it, carried on through those that follow. Bytes are exact
/// but for those whose number may lie on either side of a middle: see tensor/rounding.h. What a kernel of
/// somebody's own leaves is what was expected of it; where nothing was, it and what is made of it come
/// without a reference, and a note says so. What else was expected of an output is compared besides. Notes
/// say, too, where NaN is right, and where it follows from the input. Throws Refusal for a result that is
/// expected to be made of itself.
std::vector<Expected> expected(const Graph& graph, const Input& input);
/// Of those the ones that an expectation of the graph says.
std::vector<Expected> expected_by_graph(const Graph& graph, const Input& input);

/// The kernel's result, of which nothing is expected, that the node is made of; nullopt: none.
std::optional<std::size_t> unknown_result(const Graph& graph, std::size_t node);

/// Throws Refusal where what is expected of a kernel's result is made of that result itself.
void require_definitions(const Graph& graph);

}  // namespace gridstride::tensor

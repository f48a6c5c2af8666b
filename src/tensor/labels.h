#pragma once

#include <string>

#include "tensor/schedule.h"

namespace gridstride::tensor {

/// Returns the expression that computes a node: "t1 + b", "sum(t6)".
std::string expression_of(const Graph& graph, std::size_t node);
/// Returns "t2 = t1 * 5" for one node, "t1 to t6" for several, or the name of a user's kernel.
std::string label_of(const Graph& graph, const Group& group);

}  // namespace gridstride::tensor

// What nodes and groups of a graph are called, for people.
#pragma once

#include <string>

#include "tensor/schedule.h"

namespace gridstride::tensor {

/// What makes a node: "t1 + b", "sum(t6)", of those that have no name too.
std::string expression_of(const Graph& graph, std::size_t node);
/// Of one node "t2 = t1 * 5", of several "t1 to t6"; of a kernel of somebody's own its name.
std::string label_of(const Graph& graph, const Group& group);

}  // namespace gridstride::tensor

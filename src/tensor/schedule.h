// Which operations of a graph run together: a launch for each, or one for a whole group.
#pragma once

#include <cstddef>
#include <vector>

#include "tensor/graph.h"

namespace gridstride::tensor {

/// How often each node is read, as an output once more; 0: nothing that is asked for needs it.
std::vector<std::size_t> uses_of(const Graph& graph);

/// Nodes that one kernel computes, or one step of the host, in their order. What the last of them makes is
/// left in memory, and so are outputs among them; the rest never leave registers.
///
/// The first may be an operation of more than one element, and element by element work on its result follows:
/// its tail.
using Group = std::vector<std::size_t>;

/// Groups grow from what is read elsewhere backwards: an operation element by element joins the one group
/// that reads it, where that sees each of its elements at its own place. An operation of more than one
/// element begins a group. So does what a kernel has no more bindings or lines for.
constexpr std::size_t max_group_nodes = 64;

/// In an order in which they can run. fuse: false leaves each node by itself. max_bindings: of one kernel.
std::vector<Group> schedule(const Graph& graph, bool fuse, std::size_t max_bindings);

/// The view shows each element of the node at its own place.
bool is_each(const Graph& graph, const Source& source, const Shape& as);

}  // namespace gridstride::tensor

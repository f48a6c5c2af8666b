// Schedules the operations of a graph into groups, each of which runs in one launch or host step.
#pragma once

#include <cstddef>
#include <vector>

#include "graph/graph.h"

namespace gridstride::tensor {

/// Returns how often each node is read, where an output counts once more; 0: no output depends on it.
std::vector<std::size_t> count_uses(const Graph& graph);

/// Nodes that one kernel or one host step computes, in order. The last one and outputs among them are stored
/// in memory; the others stay in registers. The first may be a reduction or a matrix product, followed by its
/// tail: elementwise operations on its result.
using Group = std::vector<std::size_t>;

/// The maximum size of a fused group. Groups grow backwards: an elementwise operation joins the only group
/// that reads it, if every reader accesses the same element and the group has free bindings. A reduction or a
/// matrix product begins a group.
constexpr std::size_t max_group_nodes = 64;

/// Returns the groups in execution order. If `fuse` is false, each node is a group.
std::vector<Group> schedule(const Graph& graph, bool fuse, std::size_t max_bindings);

/// Returns whether element i of the reader depends only on element i of the source's node.
bool is_elementwise_access(const Graph& graph, const Source& source, const Node& reader);

}  // namespace gridstride::tensor

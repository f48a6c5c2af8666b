#pragma once

#include "graph/graph.h"
#include "launch/limits.h"
#include "launch/plan.h"
#include "tensor/options.h"

namespace gridstride::tensor {

/// Returns a plan that uploads inputs from the host arrays of their names and downloads outputs to arrays of
/// theirs. Without a memory limit, later steps do not reuse the memory of inputs and outputs. Throws Refusal
/// if the device cannot run the graph, or a step needs more memory than the limit.
Plan make_plan(const Graph& graph, const Limits& limits, const Options& options);

}  // namespace gridstride::tensor

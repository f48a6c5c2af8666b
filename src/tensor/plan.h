// A graph made into a plan: launches in one submission or one by one, memory by lifetimes or a buffer each.
#pragma once

#include "launch/limits.h"
#include "launch/plan.h"
#include "tensor/graph.h"
#include "tensor/options.h"

namespace gridstride::tensor {

/// Inputs are uploaded from host arrays of their names, each once; outputs come back as host arrays of
/// theirs. Without a limit on memory neither shares its own with what comes after. Throws Refusal where the
/// device cannot run it, or a step of it needs more than that limit.
Plan make_plan(const Graph& graph, const Limits& limits, const Options& options);

}  // namespace gridstride::tensor

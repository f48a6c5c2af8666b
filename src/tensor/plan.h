// A graph made into a plan: launches in one submission or one by one, memory by lifetimes or a buffer each.
#pragma once

#include <cstdint>

#include "launch/limits.h"
#include "launch/plan.h"
#include "tensor/graph.h"

namespace gridstride::tensor {

enum class Execution {
    eager,    ///< each operation at once: a launch, a submission and a buffer of its own
    planned,  ///< a launch each, in one submission, in an arena planned by lifetimes
    fused,    ///< as planned, and what can run together in one kernel does
};

struct Options {
    Execution execution = Execution::fused;
    /// Of an arena: what an operation element by element makes takes the memory of an operand of the same
    /// size that nobody reads later.
    bool in_place = false;
    /// Of an arena: what all tensors, inputs too, may take on the device at one time; bytes. What was used
    /// longest ago moves to the host to make room, and comes back where it is read. 0: as much as they need.
    std::uint64_t memory_bytes = 0;
    /// Of launches element by element: invocations, a power of two for those that reduce, and workgroups at
    /// most; 0: as many as there are elements for.
    std::uint64_t workgroup_size = 256;
    std::uint64_t workgroup_count = 0;
};

/// Inputs are uploaded from host arrays of their names, each once; outputs come back as host arrays of
/// theirs. Without a limit on memory neither shares its own with what comes after. Throws Refusal where the
/// device cannot run it, or a step of it needs more than that limit.
Plan make_plan(const Graph& graph, const Limits& limits, const Options& options);

}  // namespace gridstride::tensor

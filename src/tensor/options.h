// How a graph is made into a plan.
#pragma once

#include <cstdint>

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

}  // namespace gridstride::tensor

#pragma once

#include <cstdint>

namespace gridstride::tensor {

enum class Execution {
    eager,    ///< a launch, a submission and a buffer per operation
    planned,  ///< a launch per operation, one submission, memory in an arena planned by lifetimes
    fused,    ///< like planned, with operations fused into one kernel if possible
};

struct Options {
    Execution execution = Execution::fused;
    /// An elementwise result reuses the memory of an operand that is not read later. Not for eager execution.
    bool is_in_place = false;
    /// The maximum device memory of all tensors at any time, in bytes; 0: no limit. The least recently used
    /// tensors are evicted to the host and reloaded when they are read. Not for eager execution.
    std::uint64_t memory_bytes = 0;
    /// Invocations per workgroup of generated kernels; a power of two if they reduce.
    std::uint64_t workgroup_size = 256;
    /// The maximum number of workgroups of generated kernels; 0: as many as the elements need.
    std::uint64_t workgroup_count = 0;
};

}  // namespace gridstride::tensor

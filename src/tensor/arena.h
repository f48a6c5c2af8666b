// Plans one arena for many tensors. Tensors whose lifetimes do not overlap may share bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gridstride::tensor {

/// The lifetime of a tensor: the steps [first, end).
struct Lifetime {
    std::uint64_t first = 0, end = 0;
    std::uint64_t bytes = 0;
};

/// Rounds a size up to a multiple of arena_alignment, and 0 to arena_alignment.
std::uint64_t arena_size(std::uint64_t bytes);

/// Returns the offset of each tensor, a multiple of arena_alignment. Steps are visited in order; each frees
/// tensors before it allocates. A tensor takes the smallest gap that holds it, the lowest of several, or
/// grows the arena, as in TensorFlow Lite's planner (Y. Pisarchyk and J. Lee, "Efficient Memory Management
/// for Deep Neural Net Inference", 2020).
std::vector<std::uint64_t> plan_arena(std::span<const Lifetime> lifetimes);

}  // namespace gridstride::tensor

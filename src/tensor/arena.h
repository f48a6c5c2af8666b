// One piece of memory for many tensors: those that are never wanted at the same time may have the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gridstride::tensor {

/// Wanted from step `first` to the one before `end`.
struct Lifetime {
    std::uint64_t first = 0, end = 0;
    std::uint64_t bytes = 0;
};

/// What so many bytes take there: a multiple of arena_alignment, none of them 0.
std::uint64_t in_arena(std::uint64_t bytes);

/// Where each begins, a multiple of arena_alignment. Steps are gone through in order, ends before beginnings;
/// what begins takes the smallest gap that holds it, the lowest of several, or grows the arena: as in
/// TensorFlow Lite's planner (Y. Pisarchyk and J. Lee, "Efficient Memory Management for Deep Neural Net
/// Inference", 2020).
std::vector<std::uint64_t> places_of(std::span<const Lifetime> lifetimes);

}  // namespace gridstride::tensor

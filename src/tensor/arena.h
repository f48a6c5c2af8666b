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

/// Where each begins, a multiple of arena_alignment. Steps are gone through in order, ends before beginnings;
/// what begins takes the smallest gap that holds it, the lowest of several, or grows the arena.
std::vector<std::uint64_t> places_of(std::span<const Lifetime> lifetimes);

}  // namespace gridstride::tensor

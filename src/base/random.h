// A counter-based random number generator: element i of a stream depends on (seed, stream, i) only, so that
// any core can generate any part of an input, with the same bytes on every machine.
//
// Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1,
// 2, 3", SC 2011. Key = the seed's two halves; counter = (index / 4 low, index / 4 high, stream, 0).
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace gridstride {

/// Returns the four words of one Philox4x32-10 block.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

/// Sets out[i] to the i-th word of the stream. Uses all cores.
void fill_random_u32(std::span<std::uint32_t> out, std::uint64_t seed, std::uint32_t stream);

/// Fills with uniform numbers in [0, 1): the word's top 24 bits times 2^-24, exact in f32. Uses all cores.
void fill_uniform_f32(std::span<float> out, std::uint64_t seed, std::uint32_t stream);

}  // namespace gridstride

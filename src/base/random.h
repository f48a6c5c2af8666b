// A counter-based random number generator: element i of a stream depends on (seed, stream, i) only, so that
// any core can generate any part of an input, with the same bytes on every machine.
//
// Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1,
// 2, 3", SC 2011. Key = the seed's two halves; counter = (index / 4 low, index / 4 high, stream, 0).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace gridstride {

/// Returns `width` Philox4x32-10 blocks whose counters follow one another in their first word, side by side
/// for the vector instructions of compilers: word w of block i is result[w][i].
template <std::size_t width>
std::array<std::array<std::uint32_t, width>, 4> philox_blocks(const std::array<std::uint32_t, 4>& counter,
                                                              std::array<std::uint32_t, 2> key) {
    std::array<std::array<std::uint32_t, width>, 4> words;
    for (std::size_t w = 0; w < 4; ++w)
        words[w].fill(counter[w]);
    for (std::size_t i = 0; i < width; ++i)
        words[0][i] += static_cast<std::uint32_t>(i);
    for (int round = 0; round < 10; ++round) {
        for (std::size_t i = 0; i < width; ++i) {
            const std::uint64_t product0 = std::uint64_t{0xD2511F53} * words[0][i],
                                product1 = std::uint64_t{0xCD9E8D57} * words[2][i];
            words[0][i] = static_cast<std::uint32_t>(product1 >> 32) ^ words[1][i] ^ key[0];
            words[1][i] = static_cast<std::uint32_t>(product1);
            words[2][i] = static_cast<std::uint32_t>(product0 >> 32) ^ words[3][i] ^ key[1];
            words[3][i] = static_cast<std::uint32_t>(product0);
        }
        key[0] += 0x9E3779B9;  // the golden ratio
        key[1] += 0xBB67AE85;  // sqrt(3) - 1
    }
    return words;
}

/// Returns the four words of one block.
inline std::array<std::uint32_t, 4> philox4x32(const std::array<std::uint32_t, 4>& counter,
                                               const std::array<std::uint32_t, 2>& key) {
    const auto [a, b, c, d] = philox_blocks<1>(counter, key);
    return {a[0], b[0], c[0], d[0]};
}

/// Sets out[i] to the i-th word of the stream. Uses all cores.
void fill_random_u32(std::span<std::uint32_t> out, std::uint64_t seed, std::uint32_t stream);

/// Fills with uniform numbers in [0, 1): the word's top 24 bits times 2^-24, exact in f32. Uses all cores.
void fill_uniform_f32(std::span<float> out, std::uint64_t seed, std::uint32_t stream);

}  // namespace gridstride

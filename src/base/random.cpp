#include "base/random.h"

#include <algorithm>
#include <cstddef>

#include "base/parallel_for.h"

namespace gridstride {
namespace {

/// Sets out[i] to convert(word i of the stream), block by block.
template <class T, class Convert>
void fill(std::span<T> out, std::uint64_t seed, std::uint32_t stream, Convert convert) {
    const std::array<std::uint32_t, 2> key = {static_cast<std::uint32_t>(seed),
                                              static_cast<std::uint32_t>(seed >> 32)};
    const std::size_t blocks = out.size() / 4 + (out.size() % 4 != 0);
    parallel_for(blocks, 1 << 14, [&](std::size_t begin, std::size_t end) {
        for (std::size_t block = begin; block < end; ++block) {
            const std::uint64_t number = block;
            const std::array<std::uint32_t, 4> words = philox4x32(
                {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32), stream, 0},
                key);
            const std::size_t first = 4 * block;
            const std::size_t here = std::min<std::size_t>(4, out.size() - first);
            for (std::size_t i = 0; i < here; ++i)
                out[first + i] = convert(words[i]);
        }
    });
}

}  // namespace

void fill_random_u32(std::span<std::uint32_t> out, std::uint64_t seed, std::uint32_t stream) {
    fill(out, seed, stream, [](std::uint32_t word) { return word; });
}

void fill_uniform_f32(std::span<float> out, std::uint64_t seed, std::uint32_t stream) {
    fill(out, seed, stream, [](std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1p-24f; });
}

}  // namespace gridstride

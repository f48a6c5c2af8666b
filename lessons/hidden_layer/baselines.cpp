// The layer on the CPU, written to be fast, in a form that compilers turn into vector instructions.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "hidden_layer/hidden_layer.h"
#include "lesson/stock.h"

namespace gridstride::lessons::hidden_layer {

namespace {

/// exp(-x), 0 <= x <= 80: 2^k e^r with k whole and |r| <= ln 2 / 2, and e^r by its Taylor series, whose first
/// term left out is below 2^-26. ln 2 is in two parts, so that k times the larger one is exact.
inline float exp_of_minus(float x) {
    constexpr float whole = 12582912.0f;  // 1.5 * 2^23: adding it rounds to a whole number
    const float k = (x * -1.44269504f + whole) - whole;
    const float r = (-x - k * 0.693359375f) - k * -2.12194440e-4f;
    float sum = 1.0f / 5040;
    sum = sum * r + 1.0f / 720;
    sum = sum * r + 1.0f / 120;
    sum = sum * r + 1.0f / 24;
    sum = sum * r + 1.0f / 6;
    sum = sum * r + 0.5f;
    sum = sum * r + 1.0f;
    sum = sum * r + 1.0f;
    return sum * std::bit_cast<float>((static_cast<std::int32_t>(k) + 127) << 23);
}

/// tanh within some units in the last place, by the kernels' formulas.
// Comparisons are made on the bits of positive floats, which order as whole numbers do, and the branch-free
// choice at the end is made by bits too: with `a < b ? x : y` on floats the compiler computes only the one
// that is wanted, which takes a branch, and gives up on vector instructions.
inline float fast_tanh(float v) {
    const float size = std::abs(v);
    const auto size_bits = std::bit_cast<std::int32_t>(size);
    constexpr auto forty = std::bit_cast<std::int32_t>(40.0f);  // from there on 1 - e^(-2 |v|) is 1 in f32
    const float q = exp_of_minus(2 * std::bit_cast<float>(size_bits < forty ? size_bits : forty));
    const float far = std::copysign((1 - q) / (1 + q), v);
    const float s = v * v;
    float p = -5.70498872745e-3f * s + 2.06390887954e-2f;
    p = p * s - 5.37397155531e-2f;
    p = p * s + 1.33314422036e-1f;
    p = p * s - 3.33332819422e-1f;
    const float near = v + v * (s * p);
    constexpr auto boundary = std::bit_cast<std::int32_t>(0.625f);
    const std::uint32_t is_near = size_bits < boundary ? ~0u : 0u;
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(near) & is_near) |
                                (std::bit_cast<std::uint32_t>(far) & ~is_near));
}

/// Independent sums, because the compiler may not change the order of additions by itself.
double sum_of(std::span<const float> numbers) {
    constexpr std::size_t width = 16;
    std::array<float, width> sums{};
    std::size_t i = 0;
    for (; i + width <= numbers.size(); i += width)
        for (std::size_t k = 0; k < width; ++k)
            sums[k] += numbers[i + k];
    double total = 0;
    for (; i < numbers.size(); ++i)
        total += numbers[i];
    for (const float sum : sums)
        total += sum;
    return total;
}

}  // namespace

double on_cpu(const Input& input, const Values& values, InParts in_parts) {
    const auto greyscales = get(input, "greyscales").as<float>();
    const auto weights = get(input, "weights").as<float>();
    const float gain = gain_f32(values);
    Array activations(ElementType::f32, greyscales.size());
    const auto out = activations.as<float>();
    return in_parts(out.size(), std::size_t{1} << 15, [=](std::size_t first, std::size_t last) {
        // In blocks that are still in the cache when they are summed.
        constexpr std::size_t block = 4096;
        double total = 0;
        for (std::size_t begin = first; begin < last; begin += block) {
            const std::size_t count = std::min(block, last - begin);
            const float* grey = greyscales.data() + begin;
            const float* weight = weights.data() + begin;
            float* activation = out.data() + begin;
            for (std::size_t i = 0; i < count; ++i)
                activation[i] = fast_tanh(gain * (grey[i] / 255.0f * weight[i]));
            total += sum_of({activation, count});
        }
        return total;
    });
}

}  // namespace gridstride::lessons::hidden_layer

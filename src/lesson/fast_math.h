// Functions for CPU baselines, in a form that compilers turn into vector instructions.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>

namespace gridstride {

/// Returns exp(-x) for -80 <= x <= 80 as 2^k e^r, where k is an integer and |r| <= ln 2 / 2. e^r is a Taylor
/// series whose first omitted term is below 2^-26. ln 2 is split into two parts, so that k times the larger
/// is exact.
inline float exp_negative(float x) {
    constexpr float rounding_constant = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer
    const float k = (x * -1.44269504f + rounding_constant) - rounding_constant;
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

// The functions below compare bits as integers. For `a < b ? x : y` with floats, compilers use a branch and
// do not vectorize.

/// Returns exp(-x) for x >= 0, and exp(-80), which is 2e-35, for x > 80.
inline float exp_negative_clamped(float x) {
    constexpr auto max_bits = std::bit_cast<std::int32_t>(80.0f);
    return exp_negative(std::bit_cast<float>(std::min(std::bit_cast<std::int32_t>(x), max_bits)));
}

/// Returns log(x) for a normal x > 0. With x = 2^k m and m near 1, log(m) is the series of 2 artanh((m - 1) /
/// (m + 1)), whose first omitted term is below 2^-30.
inline float fast_log(float x) {
    constexpr auto sqrt_half = std::bit_cast<std::int32_t>(0.70710678f);
    const std::int32_t bits = std::bit_cast<std::int32_t>(x) - sqrt_half;
    const auto k = static_cast<float>(bits >> 23);
    const float m = std::bit_cast<float>((bits & 0x7fffff) + sqrt_half);
    const float s = (m - 1) / (m + 1), square = s * s;
    float sum = 2.0f / 9;
    sum = sum * square + 2.0f / 7;
    sum = sum * square + 2.0f / 5;
    sum = sum * square + 2.0f / 3;
    sum = sum * square + 2.0f;
    return k * 0.69314718f + sum * s;
}

/// Returns the largest number, or the lowest float if there is none. The numbers must not be NaN.
inline float fast_max(std::span<const float> numbers) {
    // Floats compare like integers after the magnitude bits of negative numbers are flipped.
    const auto ordered = [](float number) {
        const auto bits = std::bit_cast<std::int32_t>(number);
        return bits ^ ((bits >> 31) & 0x7fffffff);
    };
    constexpr std::size_t width = 32;
    std::array<std::int32_t, width> top{};
    top.fill(ordered(std::numeric_limits<float>::lowest()));
    std::size_t i = 0;
    for (; i + width <= numbers.size(); i += width)
        for (std::size_t k = 0; k < width; ++k)
            top[k] = std::max(top[k], ordered(numbers[i + k]));
    for (; i < numbers.size(); ++i)
        top[0] = std::max(top[0], ordered(numbers[i]));
    const std::int32_t largest = *std::max_element(top.begin(), top.end());
    return std::bit_cast<float>(largest ^ ((largest >> 31) & 0x7fffffff));
}

/// Returns the dot product of two arrays of equal length, with independent partial sums.
inline float fast_dot(std::span<const float> a, std::span<const float> b) {
    constexpr std::size_t width = 16;
    std::array<float, width> sums{};
    std::size_t i = 0;
    for (; i + width <= a.size(); i += width)
        for (std::size_t k = 0; k < width; ++k)
            sums[k] += a[i + k] * b[i + k];
    for (; i < a.size(); ++i)
        sums[0] += a[i] * b[i];
    return std::accumulate(sums.begin(), sums.end(), 0.0F);
}

/// Returns tanh(v) within a few units in the last place, by the formulas of the kernels.
inline float fast_tanh(float v) {
    const float size = std::abs(v);
    const auto size_bits = std::bit_cast<std::int32_t>(size);
    constexpr auto forty = std::bit_cast<std::int32_t>(40.0f);  // from here on, 1 - e^(-2 |v|) is 1 in f32
    const float q = exp_negative(2 * std::bit_cast<float>(size_bits < forty ? size_bits : forty));
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

}  // namespace gridstride

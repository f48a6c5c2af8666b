// Simulates on the CPU, step by step, how the histogram's kernels find a bin.
#pragma once

#include "test_includes.h"

namespace gridstride::test {

/// Finds bins as shaders/histogram/binning.glsl does, from the same push constants. nudge: by how many floats
/// the estimate is off, because a device may round differently.
class KernelBins {
 public:
    explicit KernelBins(const std::vector<std::uint32_t>& words, int nudge = 0)
        : nudge_(nudge), bins_(words[7]) {
        float* const numbers[] = {&min_, &max_, &width_, &high_, &low_, &per_unit_, &sure_};
        for (std::size_t i = 0; i < std::size(numbers); ++i)
            *numbers[i] = std::bit_cast<float>(words[i]);
    }

    std::uint32_t operator()(float x) {
        const float from_min = x - min_;
        float from_middle = std::fma(from_min, per_unit_, -0.5f);
        const float infinity = std::numeric_limits<float>::infinity();
        for (int i = 0; i < std::abs(nudge_); ++i)
            from_middle = std::nextafter(from_middle, nudge_ > 0 ? infinity : -infinity);
        constexpr float no_fraction = 12582912.0f;
        const float sum = from_middle + no_fraction;
        const float off = from_middle - (sum - no_fraction);
        const std::uint32_t bin =
            std::bit_cast<std::uint32_t>(sum) - std::bit_cast<std::uint32_t>(no_fraction);
        if (!(std::abs(off) > sure_)) return std::min(bin, bins_);
        ++settled_exactly;
        if (in_order(x) < in_order(min_) || in_order(x) >= in_order(max_)) return bins_;
        const std::uint32_t edge = off > 0 ? bin + 1 : bin;
        if (edge == 0) return 0;
        if (edge >= bins_) return bins_ - 1;
        float rest = from_min;
        rest -= static_cast<float>(edge) * high_;
        rest -= static_cast<float>(edge) * low_;
        const int power = std::bit_width(edge - 1) - 1 - 24;
        return rest >= -std::ldexp(width_, power) ? edge : edge - 1;
    }

    std::size_t settled_exactly = 0;

 private:
    static std::uint32_t in_order(float x) {
        const auto bits = std::bit_cast<std::uint32_t>(x);
        if (bits == 0x80000000u) return bits;
        return (bits & 0x80000000u) == 0 ? bits | 0x80000000u : ~bits;
    }

    int nudge_;
    float min_ = 0, max_ = 0, width_ = 0, high_ = 0, low_ = 0, per_unit_ = 0, sure_ = 0;
    std::uint32_t bins_;
};

}  // namespace gridstride::test

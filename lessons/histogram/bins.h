// The definition: which bin a number falls into.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "histogram/parameters.h"

namespace gridstride::lessons::histogram {

/// A range [min, max) in `count` bins of equal width, all in f32.
struct Bins {
    float min = 0;
    float max = 0;
    float width = 0;  ///< of one bin: (max - min) / count
    std::uint32_t count = 1;
};
Bins bins_of(const Values& values);

/// floor((x - min) / width) in f32 arithmetic, where min <= x < max; nullopt elsewhere and for NaN. A number
/// just below max whose quotient rounds up to `count` is in the last bin.
inline std::optional<std::uint32_t> bin_of(float x, const Bins& bins) {
    if (!(bins.min <= x && x < bins.max)) return std::nullopt;
    const float quotient = (x - bins.min) / bins.width;
    return std::min(static_cast<std::uint32_t>(std::floor(quotient)), bins.count - 1);
}

/// The middle of each bin, for axes.
std::vector<double> centres(const Bins& bins);

/// Bins narrower than this are refused: below it the smallest floats, which devices may take for 0, would
/// matter.
inline constexpr float least_width = 1e-30f;

/// What the kernels are told, as words for push constants: see shaders/histogram/binning.glsl.
std::vector<std::uint32_t> kernel_words(const Bins& bins);

/// A kernel's quotient is an estimate, off by less than this, in bins. It multiplies by 1 / width: half an
/// ulp (2^-24) for the reciprocal, one ulp (2^-23) each for the product and the subtraction of a half on a
/// device that rounds in whatever direction, one between its difference x - min and the CPU's, and half an
/// ulp for the CPU's quotient: 4 ulp of at most count. The one more covers products of these errors, and
/// numbers so small that a device takes them for 0.
float estimate_error(const Bins& bins);

}  // namespace gridstride::lessons::histogram

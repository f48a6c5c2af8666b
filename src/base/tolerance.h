#pragma once

#include <cstdint>

namespace gridstride {

/// The relative unit in the last place; the smallest number that a device must not flush to zero.
inline constexpr double f32_ulp = 0x1p-23, smallest_normal_f32 = 0x1p-126;

/// Accepts |gpu - reference| <= absolute + relative * scale, where scale is |reference| or, if given, the
/// magnitude that the rounding errors grew from. Both zero: exact comparison.
struct Tolerance {
    double absolute = 0;
    double relative = 0;
};

/// Bounds the distance of an f32 sum of `count` numbers from their sum in double, relative to the sum of
/// their magnitudes, if no number goes through more than `chain` additions: gamma_k = k u / (1 - k u) with
/// u = 2^-24 (N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., 2002, section 4.2), or
/// (count - 1) u where that is smaller or gamma_k undefined (C.-P. Jeannerod and S. M. Rump, SIAM J. Matrix
/// Anal. Appl. 34, 2013).
Tolerance f32_sum_tolerance(std::uint64_t chain, std::uint64_t count);

}  // namespace gridstride

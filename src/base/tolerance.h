// How far a result of f32 may be from what it is compared with.
#pragma once

#include <cstdint>

namespace gridstride {

/// A unit in the last place, relative; and the smallest number that no device may take for zero.
inline constexpr double ulp_of_f32 = 0x1p-23, smallest_normal_f32 = 0x1p-126;

/// |gpu - reference| <= absolute + relative * scale, where scale is |reference| or, where given, the
/// magnitude that the rounding errors grew from. Both zero: exact.
struct Tolerance {
    double absolute = 0;
    double relative = 0;
};

/// How far a sum of `count` numbers in f32 may be from their sum in double, relative to the sum of their
/// magnitudes, when no number goes through more than `chain` additions.
Tolerance tolerance_of_f32_sum(std::uint64_t chain, std::uint64_t count);

}  // namespace gridstride

#include "base/tolerance.h"

#include <algorithm>

namespace gridstride {

Tolerance tolerance_of_f32_sum(std::uint64_t chain, std::uint64_t count) {
    constexpr double unit_roundoff = ulp_of_f32 / 2;
    const auto numbers = static_cast<double>(count);
    const double along_the_chain = static_cast<double>(chain) * unit_roundoff;
    double rounding = (numbers - 1) * unit_roundoff;
    if (along_the_chain < 0.5) rounding = std::min(rounding, along_the_chain / (1 - along_the_chain));
    // The double reference rounds too, and a device may flush subnormal numbers to zero.
    return {(numbers + 1) * smallest_normal_f32, rounding + numbers * 0x1p-53};
}

}  // namespace gridstride

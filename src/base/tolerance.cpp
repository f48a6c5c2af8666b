#include "base/tolerance.h"

#include <algorithm>

namespace gridstride {

Tolerance f32_sum_tolerance(std::uint64_t chain, std::uint64_t count) {
    constexpr double unit_roundoff = f32_ulp / 2;
    const auto numbers = static_cast<double>(count);
    const double chain_rounding = static_cast<double>(chain) * unit_roundoff;
    double rounding = (numbers - 1) * unit_roundoff;
    if (chain_rounding < 0.5) rounding = std::min(rounding, chain_rounding / (1 - chain_rounding));
    // The double reference rounds too, and a device may flush subnormal numbers to zero.
    return {(numbers + 1) * smallest_normal_f32, rounding + numbers * 0x1p-53};
}

}  // namespace gridstride

#include "base/half.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gridstride {

double f16_ulp(double number) {
    return number == 0 ? 0x1p-24 : std::ldexp(1.0, std::max(std::ilogb(number), -14) - 10);
}

double nearest_f16(double number) {
    if (!std::isfinite(number)) return number;
    const double step = f16_ulp(number), rounded = std::nearbyint(number / step) * step;
    return std::abs(rounded) > largest_f16 ? std::copysign(std::numeric_limits<double>::infinity(), number)
                                           : std::copysign(rounded, number);
}

Half::Half(double number) {
    const double rounded = std::abs(nearest_f16(number));
    unsigned bits = 0;
    if (std::isnan(rounded))
        bits = 0x7e00;
    else if (std::isinf(rounded))
        bits = 0x7c00;
    else if (rounded < smallest_normal_f16)
        bits = static_cast<unsigned>(rounded * 0x1p24);
    else
        // The fraction of a normal number begins with an implicit 1, which adds 1 to the exponent's bits.
        bits = static_cast<unsigned>(std::ilogb(rounded) + 14) * 0x400 +
               static_cast<unsigned>(rounded / f16_ulp(rounded));
    bits_ = static_cast<std::uint16_t>(bits | (std::signbit(number) ? 0x8000 : 0));
}

Half::operator double() const {
    const int exponent = bits_ >> 10 & 0x1f, fraction = bits_ & 0x3ff;
    const double sign = (bits_ & 0x8000) != 0 ? -1 : 1;
    if (exponent == 0x1f)
        return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    if (exponent == 0) return sign * std::ldexp(fraction, -24);
    return sign * std::ldexp(fraction + 0x400, exponent - 25);
}

}  // namespace gridstride

// IEEE 754 binary16, "f16": 1 sign bit, 5 exponent bits, 10 fraction bits.
#pragma once

#include <cstdint>

namespace gridstride {

inline constexpr double largest_f16 = 65504, smallest_normal_f16 = 0x1p-14;

/// Returns the distance between f16 near a finite number: 2^-10 of the power of two below it, at least 2^-24.
double f16_ulp(double number);
/// Returns the nearest f16, ties to even. From 65,520 on it is infinite.
double nearest_f16(double number);

/// A number that is stored as f16. Arithmetic converts it, which is exact.
class Half {
 public:
    constexpr Half() = default;
    explicit Half(double number);  ///< rounds to the nearest
    static constexpr Half from_bits(std::uint16_t bits) {
        Half half;
        half.bits_ = bits;
        return half;
    }
    operator double() const;

 private:
    std::uint16_t bits_ = 0;
};

}  // namespace gridstride

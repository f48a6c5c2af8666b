// Elementary functions with bitwise the same results on every machine: they use only IEEE 754 additions,
// subtractions, multiplications, divisions and square roots, in a fixed order. The C library's functions may
// differ in the last bit between versions, and then the same seed would not give the same input.
//
// Accuracy: within 2 ulp of the true value over the ranges stated; tests compare them with the C library's.
#pragma once

#include <cstdint>
#include <span>

namespace gridstride {

double strict_log(double x);  ///< natural logarithm; x finite and > 0
double strict_sin(double x);  ///< radians, |x| <= 1e6

/// Returns the x for which a standard normal variable is below x with probability p, 0 < p < 1. Algorithm AS
/// 241 (PPND16): M. J. Wichura, "The percentage points of the normal distribution", Applied Statistics 37,
/// 1988. The relative error is about 1e-16.
double normal_quantile(double p);

/// Sets out[i] to mean + sd * z_i, where z_i is the normal quantile of (w + 1/2) / 2^32 for the stream's i-th
/// word w, computed in double and rounded once. Uses all cores.
void fill_normal_f32(std::span<float> out, std::uint64_t seed, std::uint32_t stream, double mean, double sd);

}  // namespace gridstride

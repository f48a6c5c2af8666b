// What the densities must be, and how far f32 may be from that.
#pragma once

#include "gaussian/parameters.h"
#include "lesson/data.h"
#include "lesson/plan.h"

namespace gridstride::lessons::gaussian {

/// The definition.
double density(double x, double mean, double sigma);

/// How far an f32 kernel's result may be from density(x, mean, sigma), relative to it, apart from results
/// near the smallest numbers. z = (x - mean) / sigma; mean_shift = |mean as f32 - mean| / sigma.
///
/// With e = 2^-23, which a correctly rounded f32 operation stays within in either of the two rounding modes
/// that Vulkan allows ("Precision and Operation of SPIR-V Instructions"):
///   x - mean        e            twice, because the exponent q = z^2 / 2 is a square
///   times 1/sigma   e + e/2      twice; the half is the rounding of 1/sigma itself
///   z times z       e
/// so q is off by 6 q e, and the result by as much, relatively. exp(-q) adds 3 + 2 q ulp, peak e/2, the last
/// multiplication e: (4.5 + 8 q) e in all. A mean that is no f32 moves the bell: exp(z shift + shift^2 / 2).
double f32_bound(double z, double mean_shift);

/// And how far beside that, in absolute terms: a device may take subnormal numbers for zero, as the result of
/// exp (which the peak then multiplies) and as the density.
double absolute_bound(double sigma);

/// "densities" in double, with these bounds; for the double kernel, with that of one rounding to f32.
std::vector<Expected> reference(const Input& input, const Values& values, const Plan& plan);

}  // namespace gridstride::lessons::gaussian

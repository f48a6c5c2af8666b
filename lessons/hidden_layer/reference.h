// What the activations must be.
#pragma once

#include "hidden_layer/parameters.h"
#include "lesson/data.h"
#include "lesson/plan.h"

namespace gridstride::lessons::hidden_layer {

/// The definition for one pixel, in double.
double activation(double greyscale, double weight, double gain);

/// "activations", computed in double and rounded once to f32, so that the reference of 100 million fits
/// beside them.
std::vector<Expected> reference(const Input& input, const Values& values, const Plan& plan);

/// How far a kernel's f32 may be from the reference. With u = 2^-23, one ulp relative to the smallest number
/// of its binade, the Vulkan specification allows ("Precision and Operation of SPIR-V Instructions"): a
/// division 2.5 u, an addition or multiplication u / 2, exp(x) (3 + 2 |x|) u.
///
///   v = gain * (grey / 255 * weight)        2.5 + 0.5 + 0.5                                  = 3.5 u
///
/// tanh passes on at most 2v / sinh(2v) <= 1 of a relative error of v. Near 0, |v| < 0.625:
///
///   v passed on                             3.5
///   the series itself (1.3e-7)              1.1
///   its evaluation: the sum next to v is at most 0.13 v, so its roundings count by an eighth; the last
///   addition fully
///                                           1                                        together  5.6 u
///
/// Far from 0, with q = exp(-2 |v|), where 2v / sinh(2v) <= 0.78:
///
///   v passed on                             2.8
///   q's error e is worth e / sinh(2|v|)     (3 + 4 |v|) / sinh(2|v|) <= 5.5 / 1.6     = 3.5
///   1 - q, 1 + q, the division              0.5 + 0.5 + 2.5                           = 3.5  together  9.8 u
///
/// and u / 2 for the reference's own rounding: 11 u covers both, with what is left for products of errors.
/// Numbers below 2^-126 may be taken for 0, in grey / 255, in its product with the weight, in that with the
/// gain and in tanh: the absolute part, weights being below 1.2.
Tolerance tolerance(const Values& values);

}  // namespace gridstride::lessons::hidden_layer

#pragma once

#include "lesson/data.h"
#include "zero_suppression/parameters.h"

namespace gridstride::lessons::zero_suppression {

/// "samples", i16: sample i of n is max(sin(23 i / n) - 0.3, 0) * 300 plus normal noise of standard deviation
/// 3, truncated towards zero. Computed in double from strict_sin and, for the noise, the normal quantile of
/// (w + 1/2) / 2^32 with w the i-th word of Philox stream 0.
Input input(const Values& values);

/// The user's samples. Throws Refusal naming the first that is no whole number from -32768 to 32767.
Input input_from_user(const UserData& data, const Values& values);

}  // namespace gridstride::lessons::zero_suppression

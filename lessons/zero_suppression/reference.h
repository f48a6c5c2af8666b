// What must come out.
#pragma once

#include "lesson/data.h"
#include "lesson/plan.h"
#include "zero_suppression/parameters.h"

namespace gridstride::lessons::zero_suppression {

/// The definition: whether a sample is more than noise.
bool survives(std::int16_t sample, Rule rule, std::uint64_t threshold);

/// "silenced", i16: every sample that does not survive is 0. Of a plan that compacts instead: "kept", i32,
/// the survivors' positions in rising order and then their values, and "kept_count". Exact.
std::vector<Expected> reference(const Input& input, const Values& values, const Plan& plan);

/// Bytes of `samples` samples over those of their sparse form: its count (4 bytes), and for each kept sample
/// a position (4 bytes) and a value (2 bytes), whatever a variant stores them as.
double compression_ratio(std::uint64_t samples, std::uint64_t kept);

}  // namespace gridstride::lessons::zero_suppression

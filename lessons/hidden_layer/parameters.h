// The lesson's own parameters.
#pragma once

#include <vector>

#include "lesson/common_parameters.h"

namespace gridstride::lessons::hidden_layer {

enum class Formula { stable, as_written };

namespace key {
using namespace gridstride::key;
inline constexpr Key<double> gain{"gain"};
inline constexpr Key<Formula> formula{"formula"};
}  // namespace key

std::vector<Parameter> parameters();

/// The gain as the kernels and the reference take it: rounded to f32; below the smallest normal f32, 0,
/// because a device may take such numbers for 0.
float gain_f32(const Values& values);

}  // namespace gridstride::lessons::hidden_layer

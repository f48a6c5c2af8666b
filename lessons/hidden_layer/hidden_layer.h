// What the files of this lesson share.
#pragma once

#include <limits>

#include "base/bounded.h"
#include "lesson/lesson.h"

namespace gridstride::lessons::hidden_layer {

enum class Formula { stable, as_written };

namespace key {
using namespace gridstride::key;
inline constexpr Key<double> gain{"gain"};
inline constexpr Key<Formula> formula{"formula"};
}  // namespace key

/// The gain as the kernels and the reference take it: rounded to f32; below the smallest normal f32, 0,
/// because a device may take such numbers for 0.
inline float gain_f32(const Values& values) {
    const auto gain = static_cast<float>(values[key::gain]);
    return gain < std::numeric_limits<float>::min() ? 0.0f : gain;
}

/// The definition for one pixel, and how far a kernel's f32 may be from it.
Bounded activation(double greyscale, double weight, double gain);

/// Measured: "timeline", "picture" (of a user's picture), "activations" (their distribution) and "error".
/// Computed: "trips" and "bytes" of every variant, "tanh". Recorded: "who" takes which pixels.
std::vector<Plot> pictures(const PictureInput& input);

}  // namespace gridstride::lessons::hidden_layer

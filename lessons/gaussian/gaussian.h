// What the files of this lesson share: its bell, and the definition of a density.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "lesson/lesson.h"

namespace gridstride::lessons::gaussian {

namespace key {
using namespace gridstride::key;
inline constexpr Key<double> mean{"mean"};
inline constexpr Key<double> sigma{"sigma"};
}  // namespace key

/// x is uniform in [lowest_x, highest_x).
inline constexpr double lowest_x = -3, highest_x = 3;

struct Bell {
    double mean, sigma;

    explicit Bell(const Values& values) : mean(values[key::mean]), sigma(values[key::sigma]) {}

    double z(double x) const { return (x - mean) / sigma; }
    /// The definition.
    double density(double x) const {
        return std::exp(-0.5 * z(x) * z(x)) / (sigma * std::sqrt(2 * std::numbers::pi));
    }
    double peak() const { return density(mean); }

    /// How far a density in f32 may be off beside a part relative to it: a device may take subnormal numbers
    /// for zero, as the result of exp (which the peak then multiplies) and as the density.
    double absolute_bound() const { return (peak() + 1) * std::numeric_limits<float>::min(); }
};

/// "curve", computed, with a sample of the run's densities once there are some; "ulp_error": how far a sample
/// of them is from the definition; "with_and_without_transfers": the GPU's time, with its parts, beside the
/// CPU's; "break_even": from how many elements on the GPU is faster, from the runs so far; "who", recorded:
/// which invocation takes which of the first elements.
std::vector<Plot> pictures(const PictureInput& input);

}  // namespace gridstride::lessons::gaussian

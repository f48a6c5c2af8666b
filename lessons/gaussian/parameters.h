// The lesson's own parameters, and what the kernels are given of them.
#pragma once

#include <vector>

#include "lesson/common_parameters.h"

namespace gridstride::lessons::gaussian {

namespace key {
using namespace gridstride::key;
inline constexpr Key<double> mean{"mean"};
inline constexpr Key<double> sigma{"sigma"};
}  // namespace key

std::vector<Parameter> parameters();

/// x is uniform in [lowest_x, highest_x).
inline constexpr double lowest_x = -3;
inline constexpr double highest_x = 3;

/// What the density of one x needs beside x. The two divisions and the square root do not depend on x, so the
/// host does them once, in double, and rounds once to T.
template <class T>
struct Curve {
    T mean;
    T inverse_sigma;
    T peak;  ///< 1 / (sigma sqrt(2 pi)), the density at the mean
};
template <class T>
Curve<T> curve(const Values& values);

}  // namespace gridstride::lessons::gaussian

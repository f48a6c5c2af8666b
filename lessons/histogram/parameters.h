// The lesson's own parameters.
#pragma once

#include <vector>

#include "lesson/common_parameters.h"

namespace gridstride::lessons::histogram {

namespace key {
using namespace gridstride::key;
inline constexpr Key<std::uint64_t> bins{"bins"};
inline constexpr Key<double> range_min{"range_min"};
inline constexpr Key<double> range_max{"range_max"};
inline constexpr Key<double> spread{"spread"};
}  // namespace key

std::vector<Parameter> parameters();

}  // namespace gridstride::lessons::histogram

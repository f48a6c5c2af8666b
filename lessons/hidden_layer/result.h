#pragma once

#include <vector>

#include "hidden_layer/parameters.h"
#include "lesson/data.h"
#include "lesson/report.h"

namespace gridstride::lessons::hidden_layer {

/// Mean, smallest and largest activation, and how many are not a number. A single one of those makes the
/// other three not a number too.
std::vector<Fact> result(const Values& values, const Outputs& outputs);

}  // namespace gridstride::lessons::hidden_layer

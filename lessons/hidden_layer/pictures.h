#pragma once

#include <vector>

#include "lesson/lesson.h"

namespace gridstride::lessons::hidden_layer {

/// "timeline", "bytes", "picture" (of a user's picture), "activations" (their distribution) and "error".
std::vector<Plot> plots(const PlotInput& input);

}  // namespace gridstride::lessons::hidden_layer

#pragma once

#include <optional>

#include "lesson/lesson.h"

namespace gridstride::lessons::hidden_layer {

/// What happened when: a row for each variant that has run at the values on the bench, from its latest run.
/// nullopt before the first.
std::optional<Plot> timeline_picture(const PlotInput& input);

}  // namespace gridstride::lessons::hidden_layer

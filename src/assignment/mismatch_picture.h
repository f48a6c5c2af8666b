// A picture of a wrong result.
#pragma once

#include <string>

#include "lesson/report.h"

namespace gridstride {

/// Returns an SVG of the output around its first wrong element, what was found against what was expected.
/// Empty if the report has no wrong output.
std::string draw_mismatch(const Report& report);

}  // namespace gridstride

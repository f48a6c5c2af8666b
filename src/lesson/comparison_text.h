// Sentences that describe how a result differs from its reference.
#pragma once

#include <string>

#include "lesson/report.h"

namespace gridstride {

/// Formats an error, such as "3e-7", with three significant digits, or with as many more as distinguish it
/// from `other`. The exponent has no leading zeros.
std::string format_error(double error, double other);

/// Describes one element: "densities[500000] was never written", "y[5] is 3.5, the reference says 3 ± 2e-7".
std::string describe_mismatch(const Mismatch& mismatch);

/// Describes why a run is wrong: writes out of bounds, unwritten elements, elements that differ, and which
/// other outputs are right. Returns an empty string if nothing is wrong.
std::string describe_wrong_result(const Comparison& compare);

}  // namespace gridstride

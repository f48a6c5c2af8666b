// What is wrong with a result, in sentences: for whoever reports a run.
#pragma once

#include <string>

#include "lesson/report.h"

namespace gridstride {

/// "3e-7": a size of an error. Three digits, or as many more as tell it from the other; no more zeros in the
/// exponent than it has.
std::string error_beside(double error, double other);

/// "densities[500000] was never written", "y[5] is 3.5, the reference says 3 ± 2e-7"
std::string mismatch_in_words(const Mismatch& mismatch);

/// Why a run is wrong: writes out of bounds, what was never written, what differs, and which other results
/// are right. Empty where nothing is wrong.
std::string wrong_result_in_words(const Comparison& compare);

}  // namespace gridstride

// What the counts must be.
#pragma once

#include <span>

#include "histogram/bins.h"
#include "lesson/data.h"
#include "lesson/plan.h"

namespace gridstride::lessons::histogram {

/// counts: of each bin, as bin_of() says; ignored: of the numbers in no bin. Both exact, and the same for
/// every variant but `race`, which loses counts on purpose: there a bin's count may be anything up to twice
/// the true one, so that losses pass and what cannot come from losses (a count in an empty bin, memory that
/// was never cleared) does not.
std::vector<Expected> reference(const Input& input, const Values& values, const Plan& plan);

/// The counts alone, u32, one a bin.
Array true_counts(std::span<const float> numbers, const Bins& bins);

}  // namespace gridstride::lessons::histogram

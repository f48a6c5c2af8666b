// How long the cells of a sweep that have not run will take.
#pragma once

#include <vector>

#include "session/sweep.h"

namespace gridstride {

/// Seconds by cell, from those that have run. The logarithm of a cell's time is modelled as a sum of what its
/// variant, its row and its column add (a main-effects model, fitted one factor after the other to what is
/// left); a row or column of which nothing is known is interpolated between its neighbours. Empty when no
/// cell has run. Linear in the number of cells.
std::vector<double> expected_seconds(const SweepSpec& spec, const std::vector<SweepCell>& cells);

}  // namespace gridstride

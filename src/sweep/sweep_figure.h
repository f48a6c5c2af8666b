// A sweep as a picture: lines over one parameter, a map of cells over two. Data only.
#pragma once

#include <string>
#include <vector>

#include "jobs/sweep.h"
#include "lesson/plot.h"

namespace gridstride {

/// One swept parameter: a line a variant with the intervals of the medians; bars where the values are no
/// numbers to measure along.
struct SweepLines {
    Plot plot;
    std::vector<std::vector<std::size_t>> cells;  ///< by series and point: the sweep's cell
    /// Where a cell stands along x: its value, or its place among the names.
    std::vector<double> x;        ///< by index of the value
    std::vector<PlotRing> rings;  ///< the best cell, and what ties with it
    std::vector<double> crosses;  ///< where a variant was refused or failed
};
SweepLines sweep_lines(const Sweep& sweep);

/// Two swept parameters, one variant: the first runs to the right, the second upwards.
struct SweepMap {
    /// Its CSV is one row a cell, the lowest row of the map first: both values, variant, median, half of its
    /// 95 % interval, status. Fields are empty where there is nothing.
    Plot plot;
    std::vector<std::size_t> cells;  ///< the sweep's, row by row from the top
    std::vector<PlotRing> rings;     ///< the best of the whole sweep, and what ties with it
};
SweepMap sweep_map(const Sweep& sweep, std::size_t variant);

}  // namespace gridstride

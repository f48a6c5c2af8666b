// A sweep as a picture: lines over one parameter, or a map of cells over two. Data only.
#pragma once

#include <string>
#include <vector>

#include "jobs/sweep.h"
#include "lesson/plot.h"

namespace gridstride {

/// The picture of one swept parameter: one line per variant with the intervals of the medians, or bars if the
/// values are names.
struct SweepLines {
    Plot plot;
    std::vector<std::vector<std::size_t>> cells;  ///< index of the sweep's cell, by series and point
    /// The x coordinate of each value: the value itself, or its position among the names.
    std::vector<double> x;             ///< by index of the value
    std::vector<PlotHighlight> rings;  ///< the best cell and its ties
    std::vector<double> crosses;       ///< x coordinates at which a variant was refused or failed
};
SweepLines sweep_lines(const Sweep& sweep);

struct SweepMap {
    /// Its CSV has one row per cell, starting with the bottom row of the map: both values, variant, median,
    /// half of its 95 % interval, status. Missing numbers are empty fields.
    Plot plot;
    std::vector<std::size_t> cells;    ///< indices of the sweep's cells, row by row from the top
    std::vector<PlotHighlight> rings;  ///< the best cell of the whole sweep and its ties
};
SweepMap sweep_map(const Sweep& sweep, std::size_t variant);

}  // namespace gridstride

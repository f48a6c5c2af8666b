// A sweep as a picture: lines over one parameter, a map of cells over two. Data only.
#pragma once

#include <string>
#include <vector>

#include "lesson/plot.h"
#include "session/sweep.h"

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
    struct Cell {
        std::size_t cell = 0;  ///< the sweep's
        CellState state = CellState::pending;
        bool right = false;      ///< measured, and the answer is right
        double cost = 0;         ///< of a measured one, in nanoseconds
        double half = 0;         ///< of its 95 % interval; NaN: too few samples for one
        std::string status;      ///< "ok", "mismatch", "refused" …; "pending", "running" before
        std::string text;        ///< the number alone, in the map's unit; empty where there is none
        std::string short_text;  ///< the same in two digits
        bool best = false;       ///< of the whole sweep
        bool tie = false;        ///< cannot be told apart from the best
    };
    std::string id;           ///< for the name of a file
    std::string title, note;  ///< above a picture that stands alone
    std::string variant;
    std::string x_title, y_title;  ///< "Workgroup size, invocations"
    std::vector<std::string> x_labels, y_labels;
    std::vector<Cell> cells;   ///< row by row from the lowest; x_labels.size() a row
    double low = 0, high = 0;  ///< costs of the right cells; the colours run between their logarithms
    std::string unit;          ///< "kernel, µs"
    /// The columns of the CSV that are named by the sweep, and the values as a CSV writes them.
    std::string x_heading, y_heading, cost_heading;
    std::vector<std::string> x_values, y_values;
    std::string low_text, high_text, middle_text;  ///< at the ends and in the middle of the colours
    bool of_several_variants = false;              ///< each has a map of its own, and colours of its own
    /// 0 … 1 along the colours.
    float shade(double cost) const;
    bool any() const { return high > 0; }
};
SweepMap sweep_map(const Sweep& sweep, std::size_t variant);
/// One row a cell, the lowest row of the map first: both values, variant, median, half of its 95 % interval,
/// status. Fields are empty where there is nothing.
std::string sweep_map_csv(const SweepMap& map);

}  // namespace gridstride

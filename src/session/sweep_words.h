// What is said of a sweep, in sentences, by the window and the command line.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "session/sweep.h"

namespace gridstride {

/// "Kernel time over workgroup size and elements"
std::string sweep_title(const Sweep& sweep);
/// "12 of 24 cells, about 8 s left", "stopped after 12 of 24 cells", "24 cells in 3.1 s"
std::string sweep_progress_words(const Sweep& sweep);

/// Which cell is the best, and how sure that is.
struct BestWords {
    std::string best;  ///< "Best: tree_sequential, workgroup_size = 256: 21.4 µs ± 0.2 µs"
    std::string sure;  ///< "No other cell's interval overlaps it."
    bool found = false;
};
BestWords best_words(const Sweep& sweep);

/// Why cells have no time: each reason once, a few of them, and where all are. Empty: all that ran are right.
std::vector<std::string> cells_without_time(const Sweep& sweep, std::string_view where_all_are);

/// A cell for whoever points at it: what it is, then name and value, line by line.
struct CellWords {
    std::string title;
    std::vector<std::pair<std::string, std::string>> lines;
};
CellWords cell_words(const Sweep& sweep, std::size_t cell);

/// "21.4 µs", or an element's share of it: what cells are compared by.
std::string cost_text(const Sweep& sweep, double cost);

}  // namespace gridstride

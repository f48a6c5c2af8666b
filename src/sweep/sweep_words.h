// What is said of a sweep by the window and the command line, in sentences and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/sweep.h"

namespace gridstride {

/// "Kernel time over workgroup size and elements"
std::string sweep_title(const Sweep& sweep);
/// "12 of 24 cells, about 8 s left", "Stopped after 12 of 24 cells.", "All 24 cells, measured in 3.1 s."
std::string sweep_progress_words(const Sweep& sweep, bool is_running);

/// Which cell is the best, and how sure that is.
struct BestWords {
    std::string best;  ///< "Best: tree_sequential, workgroup_size = 256: 21.4 µs ± 0.2 µs"
    std::string sure;  ///< "No other cell's interval overlaps it."
    bool found = false;
};
BestWords best_words(const Sweep& sweep);

/// Why cells have no time: each reason once, a few of them, and where all are. Empty: all that ran are right.
std::vector<std::string> cells_without_time(const Sweep& sweep, std::string_view where_all_are);

/// What there is to say of several cells, once, and of how many of them.
struct SweepRemark {
    Remark remark;
    std::size_t cells = 0;
};
/// Without what refused a cell, which cells_without_time() says. In the order of the cells.
std::vector<SweepRemark> remarks_of(const Sweep& sweep);
/// The first few of them: "--bins: …", "In 3 of 12 cells: --bins: …". where_all_are: of very many.
std::vector<std::string> remarks_in_words(const Sweep& sweep, std::string_view where_all_are);

/// A cell for whoever points at it: what it is, then name and value, line by line.
struct CellWords {
    std::string title;
    std::vector<std::pair<std::string, std::string>> lines;
};
CellWords cell_words(const Sweep& sweep, std::size_t index);

/// "21.4 µs", or an element's share of it: what cells are compared by.
std::string cost_text(const Sweep& sweep, double cost);

/// The usual advice on how to launch, set against what a sweep measured: one piece of it. It is judged within
/// each variant and each set of the values that are not about the launch, because a launch can be compared
/// only with another launch of the same work. Such a set can tell when it holds measured cells that follow
/// the advice and cells that do not.
struct Advice {
    /// subgroup_multiple, size_128_to_512, groups_2_to_4_per_multiprocessor, groups_20_to_100
    std::string id;
    std::string title;  ///< "Workgroup sizes that are multiples of the subgroup's width (32)"
    /// Whether, wherever it can be told, the best cell that follows the advice cannot be told apart from the
    /// best of all; nullopt where it cannot be said here.
    std::optional<bool> holds;
    std::string sentence;        ///< what was found, or why it cannot be said
    std::size_t told = 0;        ///< sets that can tell
    std::size_t held = 0;        ///< of them
    std::optional<Ratio> worst;  ///< the most that the best following cell takes, over the best of all
};

/// The four, in the order in which a course gives them. With few cells measured the answers may still change.
std::vector<Advice> weigh_advice(const Sweep& sweep);

/// The shape that assets/manual/command_line.md documents: axes, cells, the best one with its ties, and the
/// advice. Cells that were not run are "pending".
nlohmann::ordered_json to_json(const Sweep& sweep);

}  // namespace gridstride

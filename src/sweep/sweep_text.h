// Describes a sweep in sentences and as JSON, for the window and the command line.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "jobs/sweep.h"

namespace gridstride {

/// Returns the title, for example "Kernel time over workgroup size and elements".
std::string sweep_title(const Sweep& sweep);
/// Returns the progress, for example "12 of 24 cells, about 8 s left", "Stopped after 12 of 24 cells." or
/// "All 24 cells, measured in 3.1 s."
std::string describe_sweep_progress(const Sweep& sweep, bool is_running);

struct BestSummary {
    std::string best;                 ///< "Best: tree_sequential, workgroup_size = 256: 21.4 µs ± 0.2 µs"
    std::string confidence_sentence;  ///< for example "No other cell's interval overlaps it."
    bool found = false;
};
BestSummary describe_best(const Sweep& sweep);

/// Returns why cells have no time: each reason once, at most three of them, followed by where_to_see_all.
/// Empty if all cells that ran are correct.
std::vector<std::string> missing_time_reasons(const Sweep& sweep, std::string_view where_to_see_all);

struct SweepRemark {
    Remark remark;
    std::size_t cells = 0;
};
/// Returns each remark once, in the order of the cells. Refusals are left out: missing_time_reasons() reports
/// them.
std::vector<SweepRemark> collect_remarks(const Sweep& sweep);
/// Returns at most 12 remarks, for example "--bins: …" or "In 3 of 12 cells: --bins: …". If there are more,
/// where_to_see_all tells where to find them.
std::vector<std::string> describe_remarks(const Sweep& sweep, std::string_view where_to_see_all);

struct CellTooltip {
    std::string title;
    std::vector<std::pair<std::string, std::string>> lines;
};
CellTooltip cell_tooltip(const Sweep& sweep, std::size_t index);

/// Returns the cost that cells are compared by, for example "21.4 µs" or "21.4 µs per element".
std::string cost_text(const Sweep& sweep, double cost);

/// A common rule for choosing a launch, tested against a sweep. It is tested separately for each variant and
/// each combination of parameters that do not affect the launch, because launches can only be compared on the
/// same work. Such a set of cells tests the rule if it has measured cells that follow the rule and cells that
/// do not.
struct Advice {
    /// subgroup_multiple, size_128_to_512, groups_2_to_4_per_multiprocessor, groups_20_to_100
    std::string id;
    std::string title;  ///< "Workgroup sizes that are multiples of the subgroup's width (32)"
    /// True if, in every set that tests the rule, the best cell that follows it cannot be distinguished from
    /// the best of all cells; nullopt if the sweep cannot tell.
    std::optional<bool> holds;
    std::string sentence;               ///< the finding, or why there is none
    std::size_t tested = 0;             ///< number of sets that test the rule
    std::size_t confirmed = 0;          ///< number of those sets in which it holds
    std::optional<Ratio> max_slowdown;  ///< largest ratio of the best following cell to the best of all
};

/// Tests the four rules, in the order of the course. While few cells are measured, the results may still
/// change.
std::vector<Advice> evaluate_advice(const Sweep& sweep);

/// Returns the JSON that assets/manual/command_line.md documents: axes, cells, the best cell with its ties,
/// and the advice. The status of cells that have not run is "pending".
nlohmann::ordered_json to_json(const Sweep& sweep);

}  // namespace gridstride

// A sweep measures one lesson's variants over one or two parameters, cell by cell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "base/statistics.h"
#include "jobs/job.h"
#include "lesson/lesson.h"
#include "lesson/report.h"

namespace gridstride {

inline constexpr std::size_t max_sweep_axes = 2;
inline constexpr std::size_t max_sweep_cells = 4096;

struct SweepAxis {
    std::string parameter;
    std::vector<Value> values;
};

/// The definition of a sweep. Its cells are variants x values of the first axis x values of the second.
struct SweepSpec {
    const Lesson* lesson = nullptr;
    /// The values of all parameters that are not swept. A kernel in it applies to base.variant only.
    Experiment base;
    std::vector<std::string> variants;
    std::vector<SweepAxis> axes;  ///< at most max_sweep_axes
    lab::Sampling sampling;       ///< for each cell
    double deadline_seconds = 0;  ///< for each cell; 0: lab::default_deadline_seconds()
    /// If false, reports lose their samples once they are summarised, for callers that have written them
    /// elsewhere.
    bool keeps_samples = true;
    /// False for a part of a sweep, whose best cells need not be those of the whole.
    bool repeats_best_cells = true;
};

/// Throws Refusal for more than max_sweep_axes axes, an axis without values, no variant, or more than
/// max_sweep_cells cells.
void require_valid(const SweepSpec& spec);

enum class CellState { pending, running, done, refused, failed };

struct SweepCell {
    std::size_t variant = 0;  ///< index into SweepSpec::variants
    /// For each axis, the index into its values; 0 if there is no such axis.
    std::array<std::size_t, 2> axis_index = {};
    Experiment experiment;
    CellState state = CellState::pending;
    std::vector<std::string> reasons;  ///< sentences: why it was refused or failed
    /// The report of a done, refused or failed cell without input, outputs and timeline; null before. The
    /// answer of a done cell may be wrong: see its status.
    std::shared_ptr<const Report> report;
    Summary kernel;             ///< in nanoseconds, over all runs of a done cell
    std::vector<Summary> runs;  ///< one per run, oldest first: the best cells are measured repeatedly
    std::vector<std::shared_ptr<const Report>> repeats;  ///< reports of the runs after the first
    double seconds = 0;  ///< of the first run, with compilation and verification

    bool wrong_on_purpose = false;  ///< the variant or a value is: a correct answer would be luck

    /// Returns true if the cell was measured and its answer is correct.
    bool is_correct() const { return state == CellState::done && report->status == Status::ok; }
    bool may_be_best() const { return is_correct() && !wrong_on_purpose; }
};

struct SweepProgress {
    std::size_t done = 0;  ///< measured, refused or failed
    std::size_t cells = 0;
    /// Runs that re-measured the best cells in turn, after all cells were done.
    std::size_t repeats_done = 0;
    std::size_t repeats = 0;
    double seconds_spent = 0;            ///< in runs that have ended
    std::optional<double> seconds_left;  ///< for the remaining runs; nullopt before the first run has ended
};

/// The best cells are re-measured in turn, because a difference between runs at different times may come
/// from the machine.
inline constexpr std::size_t max_repeated_cells = 4;
inline constexpr std::size_t repeat_rounds = 2;

struct BestCell {
    std::size_t cell = 0;
    std::vector<std::size_t> ties;  ///< cells that cannot be distinguished from the best one, best first
    double confidence = 0;  ///< of the best cell's interval; 0: one sample only, so ties cannot be found
};

class Sweep final : public Job {
 public:
    /// Prepares every combination. Throws Refusal if the spec is invalid, or with the cells' reasons if all
    /// cells are refused.
    Sweep(SweepSpec spec, const Limits& device);

    const SweepSpec& spec() const { return spec_; }
    const Limits& device() const { return device_; }
    const Parameter& parameter(std::size_t axis) const;
    /// If the element count is swept, cells are ranked by kernel median per element; otherwise by the
    /// median.
    bool is_per_element() const { return is_per_element_; }
    /// Cells are ordered by variant, then row, then column: index = (variant x rows + axis_index[0]) x
    /// columns + axis_index[1].
    const std::vector<SweepCell>& cells() const { return cells_; }
    std::size_t index(std::size_t variant, std::size_t row, std::size_t column) const;

    std::string title() const override { return tr("Sweep"); }
    /// Returns cells from coarse to fine: first the corners and a few points between, then the points halfway
    /// between those, with all variants of a point in sequence. The overall shape shows early, a stopped
    /// sweep is evenly filled, and the time left is estimated from both ends of each axis. Within a round,
    /// the axis that changes the input varies slowest, because a new input needs a new reference.
    std::optional<lab::Request> next() override;
    /// A final report completes its cell, except for a stopped run, whose cell is repeated.
    void on_report(const Report& report, double seconds) override;
    JobProgress progress() const override;  ///< in cells, plus runs that re-measure the best cells

    bool is_finished() const { return completed_ == cells_.size() && to_repeat_.empty(); }
    SweepProgress sweep_progress() const;
    std::uint64_t revision() const { return revision_; }  ///< changes whenever a cell changes

    /// Returns estimate_drift() of the cells that were measured more than once; nullopt if there is none yet.
    std::optional<double> drift() const { return drift_; }
    /// Returns the kernel time to compare a done cell with others. For a cell that was measured once, its
    /// interval includes the drift.
    Summary comparable_time(const SweepCell& cell) const;
    /// Returns comparable_time(), per element if is_per_element().
    Summary cost(const SweepCell& cell) const;
    /// Returns the best cell of the sweep, or nullopt if no cell qualifies yet.
    std::optional<BestCell> best() const;
    std::optional<BestCell> best_among(const std::vector<std::size_t>& cells) const;
    /// Returns the cells in groups that do the same work: cells of one variant that differ only in launch
    /// parameters, which affect neither the input nor the reference.
    std::vector<std::vector<std::size_t>> group_by_work() const;
    /// Returns a description such as "tree_sequential, workgroup_size = 256".
    std::string describe(const SweepCell& cell) const;

 private:
    void make_cells();
    void prepare_cell(SweepCell& cell);
    void order_cells();
    void require_runnable_cell();
    void complete_cell(SweepCell& cell, const Report& report);
    void add_run(SweepCell& cell, const Report& report);
    std::vector<std::size_t> by_cost(const std::vector<std::size_t>& cells) const;
    std::vector<std::size_t> all() const;
    void choose_repeats();

    SweepSpec spec_;
    Limits device_;
    bool is_per_element_ = false;
    std::vector<SweepCell> cells_;
    std::vector<std::size_t> order_;
    std::vector<double> expected_seconds_;  ///< per cell; empty before the first run has ended
    std::vector<std::size_t> to_repeat_;    ///< cells to re-measure; the next one is last
    std::size_t repeats_total_ = 0;         ///< initial size of to_repeat_
    std::optional<double> drift_;
    std::size_t running_ = 0;  ///< cell of the last request
    std::size_t completed_ = 0;
    double seconds_spent_ = 0;
    std::uint64_t revision_ = 0;
};

}  // namespace gridstride

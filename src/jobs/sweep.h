// A sweep: one lesson's variants measured over one or two parameters, cell by cell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "jobs/job.h"
#include "lesson/lesson.h"
#include "lesson/report.h"

namespace gridstride {

inline constexpr std::size_t max_sweep_axes = 2;
inline constexpr std::size_t max_sweep_cells = 4096;

/// A swept parameter and the values that it takes.
struct SweepAxis {
    std::string parameter;
    std::vector<Value> values;
};

/// What is swept: a value. Its cells are variants x values of the first axis x values of the second.
struct SweepSpec {
    const Lesson* lesson = nullptr;
    Experiment base;  ///< of every parameter that is not swept; a program of its variant's own cells
    std::vector<std::string> variants;
    std::vector<SweepAxis> axes;  ///< none, one or two
    lab::Sampling sampling;       ///< of each cell
    double deadline_seconds = 0;  ///< of each cell; 0: lab::default_deadline_seconds()
    /// False drops a report's times once they are summarised, for whoever has written them elsewhere.
    bool keep_samples = true;
};

/// Throws Refusal: more than two axes, an axis without values, or more cells than max_sweep_cells.
void require_valid(const SweepSpec& spec);

enum class CellState { pending, running, done, refused, failed };

struct SweepCell {
    std::size_t variant = 0;             ///< index into SweepSpec::variants
    std::array<std::size_t, 2> at = {};  ///< index into each axis's values; 0 where there is no axis
    Experiment experiment;
    CellState state = CellState::pending;
    std::vector<std::string> reasons;  ///< sentences: why it was refused, or what failed
    /// Of a done, refused or failed cell, without input, outputs and timeline; null before. A done cell's
    /// answer may be wrong: see status.
    std::shared_ptr<const Report> report;
    Summary kernel;             ///< nanoseconds; of a done cell, over all its runs
    std::vector<Summary> runs;  ///< of each, oldest first: the best cells are measured again
    std::vector<std::shared_ptr<const Report>> again;  ///< of those after the first
    double seconds = 0;  ///< what the first run took, compiling and judging included

    bool wrong_on_purpose = false;  ///< its variant or one of its values is: a right answer is luck then

    /// Measured, and its answer is right.
    bool right() const { return state == CellState::done && report->status == Status::ok; }
    bool may_be_best() const { return right() && !wrong_on_purpose; }
};

struct SweepProgress {
    std::size_t done = 0;  ///< measured, refused or failed
    std::size_t cells = 0;
    std::size_t again_done = 0;  ///< runs of the best cells, measured again in turn once all cells are done
    std::size_t again = 0;
    double seconds_spent = 0;            ///< in runs that have ended
    std::optional<double> seconds_left;  ///< of the others; nullopt before the first run has ended
};

/// The best cells are measured again, one after the other in turn: a difference of runs that were made at
/// different times may be the machine's.
inline constexpr std::size_t max_remeasured_cells = 4;
inline constexpr std::size_t rounds_again = 2;

struct BestCell {
    std::size_t cell = 0;
    std::vector<std::size_t> ties;  ///< further cells that cannot be told apart from it, best first
    double confidence = 0;          ///< of the best cell's interval; 0: one sample, so ties cannot be told
};

class Sweep final : public Job {
 public:
    /// Examines every combination at once (a plan each). Throws Refusal if the spec is not valid, or with the
    /// cells' reasons if all are refused.
    Sweep(SweepSpec spec, const Limits& device);

    const SweepSpec& spec() const { return spec_; }
    const Limits& device() const { return device_; }
    const Parameter& parameter(std::size_t axis) const;  ///< that the axis sweeps
    /// Cells are compared by the kernel's median over the element count, where that is swept; else by the
    /// median alone.
    bool per_element() const { return per_element_; }
    /// Variant by variant, row by row: index = (variant x rows + at[0]) x columns + at[1].
    const std::vector<SweepCell>& cells() const { return cells_; }
    std::size_t index(std::size_t variant, std::size_t row, std::size_t column) const;

    std::string title() const override { return "Sweep"; }
    /// Cells come coarse to fine: the corners and a few between first, then what lies halfway, all variants
    /// of a point one after the other. So the shape of the whole picture shows early, a stop leaves an
    /// even picture, and the time left is estimated from both ends of each axis. Within one round, what
    /// changes the input changes least often, because input and reference are made anew for it.
    std::optional<lab::Request> next() override;
    /// A final report ends its cell, but for one of a run that was stopped: its cell waits for another run.
    void on_report(const Report& report, double seconds) override;
    JobProgress progress() const override;  ///< cells, and runs of the best that are measured again

    bool finished() const { return settled_ == cells_.size() && to_repeat_.empty(); }
    SweepProgress state() const;
    std::uint64_t revision() const { return revision_; }  ///< changes whenever a cell does

    /// drift_of() the cells that were measured again; nullopt before.
    std::optional<double> drift() const { return drift_; }
    /// What a done cell's kernel time is held against others with: of a cell that was measured once, it has
    /// the drift in it.
    Summary compared(const SweepCell& cell) const;
    /// The same, or an element of it, by per_element().
    Summary cost(const SweepCell& cell) const;
    /// Of the cells that may be it; nullopt when there is none yet.
    std::optional<BestCell> best() const;
    /// The same of some of the cells.
    std::optional<BestCell> best_of(const std::vector<std::size_t>& cells) const;
    /// The cells that do the same work, set by set: those of a variant that differ in the launch alone, of
    /// which neither the input nor the reference knows.
    std::vector<std::vector<std::size_t>> same_work() const;
    /// "tree_sequential, workgroup_size = 256"
    std::string describe(const SweepCell& cell) const;

 private:
    void make_cells();
    void examine(SweepCell& cell);
    void order_cells();
    void refuse_if_all_are();
    void settle(SweepCell& cell, const Report& report);
    void add_run(SweepCell& cell, const Report& report);
    std::vector<std::size_t> by_cost(const std::vector<std::size_t>& cells) const;
    std::vector<std::size_t> all() const;
    void choose_repeats();

    SweepSpec spec_;
    Limits device_;
    bool per_element_ = false;
    std::vector<SweepCell> cells_;
    std::vector<std::size_t> order_;
    std::vector<double> expected_seconds_;  ///< by cell; empty before the first run has ended
    std::vector<std::size_t> to_repeat_;    ///< cells to measure again, the next one last
    std::size_t repeats_ = 0;               ///< as many as there were
    std::optional<double> drift_;
    std::size_t running_ = 0;  ///< the cell of the last request
    std::size_t settled_ = 0;
    double seconds_spent_ = 0;
    std::uint64_t revision_ = 0;
};

}  // namespace gridstride

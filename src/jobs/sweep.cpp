#include "jobs/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>
#include <ranges>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/language.h"
#include "base/text.h"

namespace gridstride {

namespace {

/// Returns the round of the i-th of n values: 0 for both ends and multiples of the largest power of two, then
/// the points halfway between.
unsigned refinement_round(std::size_t i, std::size_t n) {
    if (i == 0 || i + 1 == n) return 0;
    const auto coarsest = static_cast<unsigned>(std::bit_width(n - 1) - 1);
    return coarsest - std::min(coarsest, static_cast<unsigned>(std::countr_zero(i)));
}

std::size_t axis_length(const SweepSpec& spec, std::size_t axis) {
    return axis < spec.axes.size() ? spec.axes[axis].values.size() : 1;
}

std::shared_ptr<const Report> copy_without_arrays(const Report& report, bool keeps_samples) {
    auto copy = std::make_shared<Report>(report);
    copy->drop_arrays();
    copy->timeline.clear();
    for (Fact& fact : copy->result)
        if (std::holds_alternative<ArrayRef>(fact.value)) fact.value = ArrayRef();
    if (!keeps_samples) copy->timings = {.kernel = {.is_noisy = report.timings.kernel.is_noisy}};
    return copy;
}

/// Returns what each level of one factor adds to the logarithm. For an ordered factor, levels without data
/// are interpolated between their neighbours; otherwise they add nothing.
std::vector<double> effects(const std::vector<double>& sums, const std::vector<std::size_t>& counts,
                            bool is_ordered) {
    std::vector<double> effect(sums.size(), 0);
    std::optional<std::size_t> known;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (counts[i] == 0) continue;
        effect[i] = sums[i] / static_cast<double>(counts[i]);
        if (is_ordered && !known) effect[0] = effect[i];
        const std::size_t from = known.value_or(0);
        for (std::size_t j = from + 1; is_ordered && j < i; ++j)
            effect[j] = std::lerp(effect[from], effect[i],
                                  static_cast<double>(j - from) / static_cast<double>(i - from));
        known = i;
    }
    if (is_ordered && known)
        for (std::size_t j = *known + 1; j < effect.size(); ++j)
            effect[j] = effect[*known];
    return effect;
}

std::size_t level(const SweepCell& cell, std::size_t factor) {
    return factor == 0 ? cell.variant : cell.axis_index[factor - 1];
}

/// Returns the expected seconds per cell, estimated from the cells that have run; empty if none has. The
/// logarithm of a cell's time is modelled as the sum of the effects of its variant, row and column (a
/// main-effects model, fitting one factor after the other to the residual). A row or column without data is
/// interpolated between its neighbours. Linear in the number of cells.
std::vector<double> expected_seconds(const SweepSpec& spec, const std::vector<SweepCell>& cells) {
    constexpr double shortest = 1e-6;
    std::vector<std::size_t> ran;
    for (std::size_t i = 0; i < cells.size(); ++i)
        if (cells[i].seconds > 0) ran.push_back(i);
    if (ran.empty()) return {};

    double mean = 0;
    for (const std::size_t i : ran)
        mean += std::log(std::max(cells[i].seconds, shortest)) / static_cast<double>(ran.size());
    std::vector<double> model(cells.size(), mean);
    for (std::size_t factor = 0; factor <= spec.axes.size(); ++factor) {
        const std::size_t levels = factor == 0 ? spec.variants.size() : spec.axes[factor - 1].values.size();
        std::vector<double> sums(levels, 0);
        std::vector<std::size_t> counts(levels, 0);
        for (const std::size_t i : ran) {
            sums[level(cells[i], factor)] += std::log(std::max(cells[i].seconds, shortest)) - model[i];
            ++counts[level(cells[i], factor)];
        }
        const std::vector<double> effect = effects(sums, counts, factor > 0);
        for (std::size_t i = 0; i < cells.size(); ++i)
            model[i] += effect[level(cells[i], factor)];
    }
    for (double& value : model)
        value = std::exp(value);
    return model;
}

}  // namespace

void require_valid(const SweepSpec& spec) {
    if (spec.axes.size() > max_sweep_axes)
        throw Refusal(
            tr("{} parameters are swept: {}. A sweep takes at most {}. Give the others one value each.",
               spec.axes.size(), join(spec.axes | std::views::transform(&SweepAxis::parameter), ", "),
               max_sweep_axes));
    for (const SweepAxis& axis : spec.axes)
        if (axis.values.empty())
            throw Refusal(tr("{} has no values to sweep over. Give at least one.", axis.parameter));
    if (spec.variants.empty()) throw Refusal(tr("The sweep has no variant. Give at least one."));
    const std::size_t cells = spec.variants.size() * axis_length(spec, 0) * axis_length(spec, 1);
    if (cells > max_sweep_cells)
        throw Refusal(
            tr("This sweep has {} cells ({} x {} values, {} variants); the limit is {}. Give fewer "
               "values or variants.",
               cells, axis_length(spec, 0), axis_length(spec, 1), spec.variants.size(), max_sweep_cells));
}

Sweep::Sweep(SweepSpec spec, const Limits& device) : spec_(std::move(spec)), device_(device) {
    require_valid(spec_);
    for (const SweepAxis& axis : spec_.axes)
        is_per_element_ = is_per_element_ || spec_.lesson->is_domain_parameter(axis.parameter);
    make_cells();
    order_cells();
    require_runnable_cell();
}

const Parameter& Sweep::parameter(std::size_t axis) const {
    return *find(spec_.lesson->parameters, spec_.axes[axis].parameter);
}

std::size_t Sweep::index(std::size_t variant, std::size_t row, std::size_t column) const {
    return (variant * axis_length(spec_, 0) + row) * axis_length(spec_, 1) + column;
}

void Sweep::make_cells() {
    for (std::size_t variant = 0; variant < spec_.variants.size(); ++variant)
        for (std::size_t row = 0; row < axis_length(spec_, 0); ++row)
            for (std::size_t column = 0; column < axis_length(spec_, 1); ++column) {
                SweepCell cell;
                cell.variant = variant;
                cell.axis_index = {row, column};
                cell.experiment = spec_.base;
                cell.experiment.variant = spec_.variants[variant];
                if (cell.experiment.variant != spec_.base.variant) cell.experiment.kernel.reset();
                for (std::size_t axis = 0; axis < spec_.axes.size(); ++axis)
                    cell.experiment.values.set(spec_.axes[axis].parameter,
                                               spec_.axes[axis].values[cell.axis_index[axis]]);
                prepare_cell(cell);
                cells_.push_back(std::move(cell));
            }
}

void Sweep::prepare_cell(SweepCell& cell) {
    PreparedExperiment prepared = prepare(*spec_.lesson, cell.experiment, device_);
    cell.experiment = std::move(prepared.experiment);
    cell.wrong_on_purpose = is_wrong_on_purpose(*spec_.lesson, cell.experiment);
    for (const Remark& remark : prepared.remarks)
        if (remark.severity == Severity::refusal) cell.reasons.push_back(remark.text);
    if (cell.reasons.empty()) return;
    cell.state = CellState::refused;
    ++completed_;
    Report report;
    report.experiment = cell.experiment;
    report.device = device_;
    report.status = Status::refused;
    report.message = Refusal(cell.reasons).what();
    report.remarks = std::move(prepared.remarks);
    cell.report = copy_without_arrays(report, true);
}

void Sweep::order_cells() {
    // The axis that changes the input varies slowest within a round.
    std::array<std::size_t, 2> slow_first = {0, 1};
    const auto shapes_input = [&](std::size_t axis) {
        return axis < spec_.axes.size() && parameter(axis).invalidates == Invalidates::input;
    };
    if (!shapes_input(0) && shapes_input(1)) std::swap(slow_first[0], slow_first[1]);

    order_ = all();
    const auto rank = [&](std::size_t i) {
        const SweepCell& cell = cells_[i];
        const unsigned round = std::max(refinement_round(cell.axis_index[0], axis_length(spec_, 0)),
                                        refinement_round(cell.axis_index[1], axis_length(spec_, 1)));
        return std::tuple(round, cell.axis_index[slow_first[0]], cell.axis_index[slow_first[1]],
                          cell.variant);
    };
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
}

void Sweep::require_runnable_cell() {
    if (completed_ < cells_.size()) return;
    // One reason per value would fill the screen; the first few are enough.
    constexpr std::size_t max_reasons = 5;
    std::vector<std::string> reasons;
    for (const SweepCell& cell : cells_)
        for (const std::string& reason : cell.reasons)
            if (reasons.size() <= max_reasons &&
                std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
                reasons.push_back(reason);
    if (reasons.size() > max_reasons)
        reasons.back() = tr("The other combinations are refused for similar reasons.");
    throw Refusal(std::move(reasons));
}

std::optional<lab::Request> Sweep::next() {
    const auto next_cell = std::find_if(order_.begin(), order_.end(),
                                        [&](std::size_t i) { return cells_[i].state == CellState::pending; });
    if (next_cell == order_.end() && to_repeat_.empty()) return std::nullopt;
    running_ = next_cell != order_.end() ? *next_cell : to_repeat_.back();
    SweepCell& cell = cells_[running_];
    if (cell.state == CellState::pending) cell.state = CellState::running;
    ++revision_;
    return lab::Request{.experiment = cell.experiment,
                        .sampling = spec_.sampling,
                        .deadline_seconds = spec_.deadline_seconds};
}

void Sweep::on_report(const Report& report, double seconds) {
    if (!report.is_final) return;
    SweepCell& cell = cells_[running_];
    ++revision_;
    if (report.status == Status::stopped) {
        if (cell.state == CellState::running) cell.state = CellState::pending;
        return;
    }
    seconds_spent_ += seconds;
    if (cell.state == CellState::done) {
        to_repeat_.pop_back();
        if (report.status != Status::ok) return;
        cell.repeats.push_back(copy_without_arrays(report, spec_.keeps_samples));
        return add_run(cell, report);
    }
    cell.seconds = std::max(seconds, 1e-9);
    complete_cell(cell, report);
}

void Sweep::add_run(SweepCell& cell, const Report& report) {
    cell.runs.push_back(report.timings.kernel.summary());
    cell.kernel = combine_runs(cell.runs);
    if (cell.runs.size() > 1) drift_ = std::max(drift_.value_or(1), estimate_drift(cell.runs));
}

void Sweep::complete_cell(SweepCell& cell, const Report& report) {
    const bool measured = report.is_measured();
    cell.state = measured                           ? CellState::done
                 : report.status == Status::refused ? CellState::refused
                                                    : CellState::failed;
    if (measured) add_run(cell, report);
    if (!report.message.empty()) cell.reasons = {report.message};
    cell.report = copy_without_arrays(report, spec_.keeps_samples);
    ++completed_;
    expected_seconds_ = expected_seconds(spec_, cells_);
    if (completed_ == cells_.size()) choose_repeats();
}

/// Cells with too few samples for a confident interval are skipped: a few further runs would not separate
/// them.
void Sweep::choose_repeats() {
    if (!spec_.repeats_best_cells) return;
    constexpr double min_confidence = 0.95;
    std::vector<std::size_t> best = by_cost(all());
    std::erase_if(best, [&](std::size_t i) { return cells_[i].kernel.confidence < min_confidence; });
    best.resize(std::min(best.size(), max_repeated_cells));
    if (best.size() < 2) return;
    std::ranges::reverse(best);
    for (std::size_t round = 0; round < repeat_rounds; ++round)
        to_repeat_.insert(to_repeat_.end(), best.begin(), best.end());
    repeats_total_ = to_repeat_.size();
}

SweepProgress Sweep::sweep_progress() const {
    SweepProgress progress{.done = completed_,
                           .cells = cells_.size(),
                           .repeats_done = repeats_total_ - to_repeat_.size(),
                           .repeats = repeats_total_,
                           .seconds_spent = seconds_spent_};
    if (expected_seconds_.empty()) return progress;
    double seconds_left = 0;
    for (std::size_t i = 0; i < cells_.size(); ++i)
        if (cells_[i].state == CellState::pending || cells_[i].state == CellState::running)
            seconds_left += expected_seconds_[i];
    for (const std::size_t i : to_repeat_)
        seconds_left += cells_[i].seconds;
    progress.seconds_left = seconds_left;
    return progress;
}

JobProgress Sweep::progress() const {
    const SweepProgress now = sweep_progress();
    return {now.done + now.repeats_done, now.cells + now.repeats, now.seconds_left};
}

Summary Sweep::comparable_time(const SweepCell& cell) const {
    return cell.runs.size() == 1 ? widen_by_drift(cell.kernel, drift_.value_or(1)) : cell.kernel;
}

Summary Sweep::cost(const SweepCell& cell) const {
    if (!is_per_element_) return comparable_time(cell);
    return scaled(comparable_time(cell),
                  1.0 / static_cast<double>(spec_.lesson->domain_extent(cell.experiment.values).product()));
}

std::vector<std::size_t> Sweep::all() const {
    std::vector<std::size_t> all(cells_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
}

/// Returns the cells that may be the best, lowest cost first. Once the best cells have been re-measured,
/// those come first.
std::vector<std::size_t> Sweep::by_cost(const std::vector<std::size_t>& cells) const {
    const bool best_are_repeated = repeats_total_ > 0 && to_repeat_.empty();
    std::vector<std::size_t> right = cells;
    std::erase_if(right, [&](std::size_t i) { return !cells_[i].may_be_best(); });
    std::ranges::stable_sort(right, {}, [&](std::size_t i) {
        return std::pair(best_are_repeated && cells_[i].runs.size() == 1, cost(cells_[i]).median);
    });
    return right;
}

std::optional<BestCell> Sweep::best() const {
    return best_among(all());
}

std::optional<BestCell> Sweep::best_among(const std::vector<std::size_t>& cells) const {
    const std::vector<std::size_t> right = by_cost(cells);
    if (right.empty()) return std::nullopt;
    BestCell best;
    best.cell = right.front();
    const Summary lowest = cost(cells_[best.cell]);
    best.confidence = lowest.confidence;
    for (std::size_t i = 1; i < right.size(); ++i)
        if (are_overlapping(cost(cells_[right[i]]), lowest)) best.ties.push_back(right[i]);
    return best;
}

std::vector<std::vector<std::size_t>> Sweep::group_by_work() const {
    std::map<std::pair<std::size_t, std::array<std::size_t, 2>>, std::vector<std::size_t>> cells_by_work;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
        std::array<std::size_t, 2> at = cells_[i].axis_index;
        for (std::size_t axis = 0; axis < spec_.axes.size(); ++axis)
            if (parameter(axis).invalidates == Invalidates::launch) at[axis] = 0;
        cells_by_work[{cells_[i].variant, at}].push_back(i);
    }
    std::vector<std::vector<std::size_t>> works;
    for (auto& [work, cells] : cells_by_work)
        works.push_back(std::move(cells));
    return works;
}

std::string Sweep::describe(const SweepCell& cell) const {
    std::string text = spec_.variants[cell.variant];
    for (std::size_t axis = 0; axis < spec_.axes.size(); ++axis) {
        const Parameter& swept = parameter(axis);
        text += fmt::format(", {} = {}", swept.id, format(swept, cell.experiment.values.at(swept.id)));
    }
    return text;
}

}  // namespace gridstride


#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/language.h"
#include "base/units.h"
#include "lesson/common_parameters.h"
#include "sweep/sweep_text.h"

namespace gridstride {

namespace {

struct Rule {
    std::string id;
    std::string title;
    bool (*follows)(const LaunchInfo& launch, const Limits& device);
    std::string unknown;  ///< why the rule does not apply to this device; empty if it does
};

std::vector<Rule> rules_for(const Limits& device) {
    return {
        {"subgroup_multiple",
         tr("Workgroup sizes that are multiples of the subgroup size ({})", device.subgroup_size),
         [](const LaunchInfo& launch, const Limits& limits) {
             return launch.workgroup_size() % limits.subgroup_size == 0;
         },
         device.subgroup_size > 0 ? "" : tr("the driver does not report the subgroup size")},
        {"size_128_to_512", tr("128 to 512 invocations per workgroup"),
         [](const LaunchInfo& launch, const Limits&) {
             return launch.workgroup_size() >= 128 && launch.workgroup_size() <= 512;
         },
         ""},
        {"groups_2_to_4_per_multiprocessor", tr("Two to four workgroups per multiprocessor"),
         [](const LaunchInfo& launch, const Limits& limits) {
             return launch.workgroup_count() >= 2 * std::uint64_t{limits.multiprocessors} &&
                    launch.workgroup_count() <= 4 * std::uint64_t{limits.multiprocessors};
         },
         device.multiprocessors > 0 ? "" : tr("the driver does not report the number of multiprocessors")},
        {"groups_20_to_100", tr("20 to 100 workgroups"),
         [](const LaunchInfo& launch, const Limits&) {
             return launch.workgroup_count() >= 20 && launch.workgroup_count() <= 100;
         },
         ""}};
}

/// The best cells of one set of cells that do the same work.
struct BestCells {
    const SweepCell* overall = nullptr;
    const SweepCell* following = nullptr;
    bool any_other = false;  ///< some cell does not follow the advice
};

void update_best(const SweepCell*& best, const SweepCell& cell) {
    if (!best || cell.kernel.median < best->kernel.median) best = &cell;
}

std::string launch_text(const SweepCell& cell) {
    const LaunchInfo& launch = cell.report->launch;
    return counted(launch.workgroup_count(), "workgroup", "workgroups") + tr(" of ") +
           format_count(launch.workgroup_size());
}

std::string describe_slowdown(const Ratio& ratio) {
    return tr("{} times as long ({} to {})", format_significant(ratio.value), format_significant(ratio.low),
              format_significant(ratio.high));
}

std::string untested_reason(const Rule& rule, const std::vector<const SweepCell*>& measured,
                            const Limits& device) {
    if (measured.empty()) return tr("no cell has been measured");
    std::size_t following_sets = 0;
    for (const SweepCell* cell : measured)
        following_sets += rule.follows(cell->report->launch, device) ? 1 : 0;
    if (following_sets == 0) return tr("no cell of this sweep follows it");
    if (following_sets == measured.size()) return tr("every cell of this sweep follows it");
    return tr("for the same work, either every cell follows it or none does");
}

std::string verdict(const Advice& advice, const BestCells& worst, const Sweep& sweep) {
    const bool same = worst.overall == worst.following;
    if (advice.tested == 1 && same)
        return tr("Held here: the best cell ({}) follows it.", launch_text(*worst.overall));
    if (advice.tested == 1 && *advice.holds)
        return tr(
            "Held here: the best cell that follows it ({}) and the best of all ({}) cannot be told apart.",
            launch_text(*worst.following), launch_text(*worst.overall));
    if (advice.tested == 1)
        return tr("Did not hold here: the best cell that follows it ({}) takes {} as the best of all ({}).",
                  launch_text(*worst.following), describe_slowdown(*advice.max_slowdown),
                  launch_text(*worst.overall));
    if (*advice.holds) return tr("Held here for all {} variants and sizes of the work.", advice.tested);
    return tr(
        "Held for {} of {} variants and sizes of the work. At worst ({}) the best cell that follows it "
        "takes {} as the best of all ({}).",
        advice.confirmed, advice.tested, sweep.describe(*worst.following),
        describe_slowdown(*advice.max_slowdown), launch_text(*worst.overall));
}

/// Returns whether cells that differ in this parameter may do the same work, although another variant's
/// reference depends on it: it sets the workgroup or the grid.
bool is_of_launch(const Parameter& parameter) {
    constexpr std::string_view ids[] = {key::workgroup_size.id, key::workgroup_count.id, key::workgroup.id,
                                        key::grid.id};
    return std::ranges::find(ids, parameter.id) != std::end(ids);
}

/// Like Sweep::group_by_work(), of the cells that may be best. Those that differ in a launch on which a
/// reference depends do the same work if they move as many bytes and do as many operations.
std::vector<std::vector<const SweepCell*>> group_by_amount(const Sweep& sweep) {
    using Amount = std::pair<std::uint64_t, std::uint64_t>;
    std::map<std::tuple<std::size_t, std::array<std::size_t, 2>, Amount>, std::vector<const SweepCell*>>
        groups;
    for (const SweepCell& cell : sweep.cells()) {
        if (!cell.may_be_best()) continue;
        std::array<std::size_t, 2> at = cell.axis_index;
        Amount amount;
        for (std::size_t axis = 0; axis < sweep.spec().axes.size(); ++axis) {
            const Parameter& swept = sweep.parameter(axis);
            if (swept.invalidates != Invalidates::launch && !is_of_launch(swept)) continue;
            at[axis] = 0;
            if (swept.invalidates != Invalidates::launch)
                amount = {cell.report->bytes_moved, cell.report->operations};
        }
        groups[{cell.variant, at, amount}].push_back(&cell);
    }
    std::vector<std::vector<const SweepCell*>> all;
    for (auto& [work, cells] : groups)
        all.push_back(std::move(cells));
    return all;
}

Advice test_rule(const Rule& rule, const Sweep& sweep, const std::vector<const SweepCell*>& measured) {
    Advice advice{rule.id, rule.title, std::nullopt, "", 0, 0, std::nullopt};
    if (!rule.unknown.empty()) {
        advice.sentence = tr("Cannot be tested here: {}.", rule.unknown);
        return advice;
    }
    BestCells worst;
    bool uncertain = false;
    bool worst_is_distinguishable = false;
    for (const std::vector<const SweepCell*>& work : group_by_amount(sweep)) {
        BestCells best;
        for (const SweepCell* const cell : work) {
            update_best(best.overall, *cell);
            if (rule.follows(cell->report->launch, sweep.device()))
                update_best(best.following, *cell);
            else
                best.any_other = true;
        }
        if (!best.following || !best.any_other) continue;
        ++advice.tested;
        const Summary lowest = sweep.comparable_time(*best.overall),
                      following = sweep.comparable_time(*best.following);
        uncertain = uncertain || lowest.confidence == 0 || following.confidence == 0;
        const bool is_distinguishable = !are_overlapping(following, lowest);
        if (!is_distinguishable) ++advice.confirmed;
        const Ratio cost = ratio(following, lowest);
        // Prefer to report a set where the advice failed.
        if (worst.overall && std::pair(is_distinguishable, cost.value) <=
                                 std::pair(worst_is_distinguishable, advice.max_slowdown->value))
            continue;
        worst = best;
        worst_is_distinguishable = is_distinguishable;
        advice.max_slowdown = cost;
    }
    if (advice.tested == 0) {
        advice.sentence = tr("Cannot be tested here: {}.", untested_reason(rule, measured, sweep.device()));
        return advice;
    }
    if (uncertain) {
        advice.max_slowdown.reset();
        advice.sentence = tr(
            "Cannot be tested here: with one sample per cell, the uncertainty of a time is unknown. Take at "
            "least 6 samples.");
        return advice;
    }
    advice.holds = advice.confirmed == advice.tested;
    advice.sentence = verdict(advice, worst, sweep);
    return advice;
}

}  // namespace

std::vector<Advice> evaluate_advice(const Sweep& sweep) {
    std::vector<const SweepCell*> measured;
    for (const SweepCell& cell : sweep.cells())
        if (cell.may_be_best()) measured.push_back(&cell);
    std::vector<Advice> all;
    for (const Rule& rule : rules_for(sweep.device()))
        all.push_back(test_rule(rule, sweep, measured));
    return all;
}

}  // namespace gridstride

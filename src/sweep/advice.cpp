#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/units.h"
#include "sweep/sweep_words.h"

namespace gridstride {

namespace {

struct Rule {
    std::string id;
    std::string title;
    bool (*follows)(const LaunchFacts& launch, const Limits& device);
    std::string unknown;  ///< why the rule does not apply to this device; empty if it does
};

std::vector<Rule> rules_for(const Limits& device) {
    return {
        {"subgroup_multiple",
         fmt::format("Workgroup sizes that are multiples of the subgroup size ({})", device.subgroup_size),
         [](const LaunchFacts& launch, const Limits& limits) {
             return launch.workgroup_size() % limits.subgroup_size == 0;
         },
         device.subgroup_size > 0 ? "" : "the driver does not report the subgroup size"},
        {"size_128_to_512", "128 to 512 invocations per workgroup",
         [](const LaunchFacts& launch, const Limits&) {
             return launch.workgroup_size() >= 128 && launch.workgroup_size() <= 512;
         },
         ""},
        {"groups_2_to_4_per_multiprocessor", "Two to four workgroups per multiprocessor",
         [](const LaunchFacts& launch, const Limits& limits) {
             return launch.workgroup_count() >= 2 * std::uint64_t{limits.multiprocessors} &&
                    launch.workgroup_count() <= 4 * std::uint64_t{limits.multiprocessors};
         },
         device.multiprocessors > 0 ? "" : "the driver does not report the number of multiprocessors"},
        {"groups_20_to_100", "20 to 100 workgroups",
         [](const LaunchFacts& launch, const Limits&) {
             return launch.workgroup_count() >= 20 && launch.workgroup_count() <= 100;
         },
         ""}};
}

/// The best cells of one set of cells that do the same work.
struct Best {
    const SweepCell* of_all = nullptr;
    const SweepCell* following = nullptr;
    bool any_other = false;  ///< some cell does not follow the advice
};

void consider(const SweepCell*& best, const SweepCell& cell) {
    if (!best || cell.kernel.median < best->kernel.median) best = &cell;
}

std::string launch_of(const SweepCell& cell) {
    const LaunchFacts& launch = cell.report->launch;
    return counted(launch.workgroup_count(), "workgroup") + " of " + format_count(launch.workgroup_size());
}

std::string slower(const Ratio& ratio) {
    return fmt::format("{} slower ({} to {})", format_percent(ratio.value - 1).text(),
                       format_percent(ratio.low - 1).text(), format_percent(ratio.high - 1).text());
}

std::string untold(const Rule& rule, const std::vector<const SweepCell*>& measured, const Limits& device) {
    if (measured.empty()) return "no cell has been measured";
    std::size_t following = 0;
    for (const SweepCell* cell : measured)
        following += rule.follows(cell->report->launch, device) ? 1 : 0;
    if (following == 0) return "no cell of this sweep follows it";
    if (following == measured.size()) return "every cell of this sweep follows it";
    return "for the same work, either every cell follows it or none does";
}

std::string verdict(const Advice& advice, const Best& worst, const Sweep& sweep) {
    const bool same = worst.of_all == worst.following;
    if (advice.told == 1 && same)
        return fmt::format("Held here: the best cell ({}) follows it.", launch_of(*worst.of_all));
    if (advice.told == 1 && *advice.holds)
        return fmt::format(
            "Held here: the best cell that follows it ({}) and the best of all ({}) cannot be told apart.",
            launch_of(*worst.following), launch_of(*worst.of_all));
    if (advice.told == 1)
        return fmt::format(
            "Did not hold here: the best cell that follows it ({}) is {} than the best of all ({}).",
            launch_of(*worst.following), slower(*advice.worst), launch_of(*worst.of_all));
    if (*advice.holds)
        return fmt::format("Held here for all {} variants and sizes of the work.", advice.told);
    return fmt::format(
        "Held for {} of {} variants and sizes of the work. At worst ({}) the best cell that follows it is {} "
        "than the "
        "best of all ({}).",
        advice.held, advice.told, sweep.describe(*worst.following), slower(*advice.worst),
        launch_of(*worst.of_all));
}

Advice weigh(const Rule& rule, const Sweep& sweep, const std::vector<const SweepCell*>& measured) {
    Advice advice{rule.id, rule.title, std::nullopt, "", 0, 0, std::nullopt};
    if (!rule.unknown.empty()) {
        advice.sentence = fmt::format("Cannot be tested here: {}.", rule.unknown);
        return advice;
    }
    Best worst;
    bool uncertain = false;
    bool worst_apart = false;
    for (const std::vector<std::size_t>& work : sweep.same_work()) {
        Best best;
        for (const std::size_t i : work) {
            const SweepCell& cell = sweep.cells()[i];
            if (!cell.may_be_best()) continue;
            consider(best.of_all, cell);
            if (rule.follows(cell.report->launch, sweep.device()))
                consider(best.following, cell);
            else
                best.any_other = true;
        }
        if (!best.following || !best.any_other) continue;
        ++advice.told;
        const Summary lowest = sweep.compared(*best.of_all), following = sweep.compared(*best.following);
        uncertain = uncertain || lowest.confidence == 0 || following.confidence == 0;
        const bool apart = !overlap(following, lowest);
        if (!apart) ++advice.held;
        const Ratio cost = ratio(following, lowest);
        // Prefer to report a set where the advice failed.
        if (worst.of_all && std::pair(apart, cost.value) <= std::pair(worst_apart, advice.worst->value))
            continue;
        worst = best;
        worst_apart = apart;
        advice.worst = cost;
    }
    if (advice.told == 0) {
        advice.sentence = fmt::format("Cannot be tested here: {}.", untold(rule, measured, sweep.device()));
        return advice;
    }
    if (uncertain) {
        advice.worst.reset();
        advice.sentence =
            "Cannot be tested here: with one sample per cell, the uncertainty of a time is unknown. Take at "
            "least 6 samples.";
        return advice;
    }
    advice.holds = advice.held == advice.told;
    advice.sentence = verdict(advice, worst, sweep);
    return advice;
}

}  // namespace

std::vector<Advice> weigh_advice(const Sweep& sweep) {
    std::vector<const SweepCell*> measured;
    for (const SweepCell& cell : sweep.cells())
        if (cell.may_be_best()) measured.push_back(&cell);
    std::vector<Advice> all;
    for (const Rule& rule : rules_for(sweep.device()))
        all.push_back(weigh(rule, sweep, measured));
    return all;
}

}  // namespace gridstride

#include "session/sweep_estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace gridstride {

namespace {

/// What each level of one factor adds to the logarithm; levels that were never seen lie between their
/// neighbours when the levels are ordered, and add nothing when they are not.
std::vector<double> effects(const std::vector<double>& sums, const std::vector<std::size_t>& counts,
                            bool ordered) {
    std::vector<double> effect(sums.size(), 0);
    std::optional<std::size_t> known;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        if (counts[i] == 0) continue;
        effect[i] = sums[i] / static_cast<double>(counts[i]);
        if (ordered) {
            const std::size_t from = known ? *known : 0;
            const double start = known ? effect[*known] : effect[i];
            for (std::size_t j = known ? from + 1 : 0; j < i; ++j)
                effect[j] = std::lerp(start, effect[i],
                                      static_cast<double>(j - from) / static_cast<double>(i - from));
        }
        known = i;
    }
    if (ordered && known)
        for (std::size_t j = *known + 1; j < effect.size(); ++j)
            effect[j] = effect[*known];
    return effect;
}

std::size_t level(const SweepCell& cell, std::size_t factor) {
    return factor == 0 ? cell.variant : cell.at[factor - 1];
}

}  // namespace

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

}  // namespace gridstride

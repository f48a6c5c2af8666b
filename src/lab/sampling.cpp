#include "lab/sampling.h"

#include <algorithm>
#include <cmath>

namespace gridstride::lab {

namespace {

constexpr double pair_span_ns = 1e6;
/// Descriptor sets and commands of one submission stay in bounds.
constexpr double most_dispatches = 2000;

}  // namespace

bool settled(const Timing& timing) {
    if (timing.samples.size() < fewest_samples) return false;
    const Summary summary = timing.summary();
    return summary.median_error <= settled_relative_error * summary.median;
}

bool wants_more(const Sampling& sampling, const Timing& kernel, double spent_seconds) {
    if (!sampling.measure) return false;
    const std::size_t taken = kernel.samples.size();
    if (sampling.samples > 0) return taken < sampling.samples;
    if (settled(kernel)) return false;
    return spent_seconds < sampling.budget_seconds || taken < fewest_samples;
}

std::uint32_t repeats_for(double kernel_ns, std::uint64_t dispatches) {
    if (kernel_ns >= pair_span_ns) return 1;
    const double wanted = std::ceil(pair_span_ns / std::max(kernel_ns, 100.0));
    const double most =
        std::max(1.0, most_dispatches / static_cast<double>(std::max<std::uint64_t>(dispatches, 1)));
    return static_cast<std::uint32_t>(std::min(wanted, most));
}

}  // namespace gridstride::lab

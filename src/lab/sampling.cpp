#include "lab/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gridstride::lab {

namespace {

constexpr double pair_span_ns = 1e6;
/// Bounds the descriptor sets and commands of one submission.
constexpr double max_dispatches = 2000;

std::size_t min_passes_for(const Sampling& sampling) {
    return sampling.samples == 0 ? min_passes : std::min<std::size_t>(sampling.samples, min_passes);
}

}  // namespace

bool has_converged(const Timing& timing) {
    if (timing.samples.size() < min_samples) return false;
    const Summary summary = timing.summary();
    return summary.median_error <= converged_relative_error * summary.median;
}

bool is_noisy(const Timing& timing) {
    return timing.samples.size() >= min_samples && !has_converged(timing);
}

bool needs_more_samples(const Sampling& sampling, const Timings& timings, double spent_seconds) {
    if (!sampling.measure) return false;
    const std::size_t sample_count = timings.kernel.samples.size();
    if (timings.wall.samples.size() < min_passes_for(sampling)) return true;
    if (sampling.samples > 0) return sample_count < sampling.samples;
    if (!sampling.whole_budget && has_converged(timings.kernel)) return false;
    return spent_seconds < sampling.budget_seconds || sample_count < min_samples;
}

bool needs_pass(const Sampling& sampling, const Timings& timings, bool is_standalone, double pass_seconds) {
    return !is_standalone || pass_seconds < seconds_of_passes ||
           timings.wall.samples.size() < min_passes_for(sampling);
}

std::size_t missing_kernel_samples(const Sampling& sampling, const Timings& timings) {
    const std::size_t sample_count = timings.kernel.samples.size();
    if (sampling.samples == 0) return std::numeric_limits<std::size_t>::max();
    return sampling.samples - std::min<std::size_t>(sampling.samples, sample_count);
}

std::size_t max_kernel_samples(const Sampling& sampling, const Timings& timings, double pass_seconds) {
    const std::size_t missing = missing_kernel_samples(sampling, timings);
    return pass_seconds < seconds_of_passes ? std::min<std::size_t>(missing, 1) : missing;
}

std::uint32_t repeats_for(double kernel_ns, std::uint64_t dispatches) {
    if (kernel_ns >= pair_span_ns) return 1;
    const double repeats = std::ceil(pair_span_ns / std::max(kernel_ns, 100.0));
    const double max_repeats =
        std::max(1.0, max_dispatches / static_cast<double>(std::max<std::uint64_t>(dispatches, 1)));
    return static_cast<std::uint32_t>(std::min(repeats, max_repeats));
}

}  // namespace gridstride::lab

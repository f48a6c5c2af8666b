// Decides when to stop taking samples.
#pragma once

#include "lab/request.h"
#include "lesson/report.h"

namespace gridstride::lab {

/// A median counts as stable when the half-width of its 95 % confidence interval is below this fraction of
/// it. The relative-error criterion with a minimum of samples and a time budget follows nvbench ("stdrel",
/// its docs/benchmarks.md). The median's interval from order statistics replaces the mean's, because the
/// distribution of timings has a long tail on one side.
inline constexpr double converged_relative_error = 0.02;
inline constexpr std::size_t min_samples = 10;

bool has_converged(const Timing& timing);
bool is_noisy(const Timing& timing);  ///< has enough samples but is not stable

/// Minimum passes of the whole plan in a series, each judged. Fewer if fewer samples are requested.
inline constexpr std::size_t min_passes = 3;
/// After the minimum, further passes stop after this time if the kernel samples need none: judging 2^28
/// elements takes a second, one sample of their kernel a thousandth of that.
inline constexpr double seconds_of_passes = 1;
/// A CPU baseline is timed at least once, and repeated for this time.
inline constexpr double seconds_of_baselines = 1;
/// Tasks with more operations, some seconds of a CPU thread, are not timed on the CPU.
inline constexpr std::uint64_t max_baseline_operations = std::uint64_t{1} << 34;

/// Returns true if sampling continues after `spent_seconds`. Every pass has a wall-clock sample.
bool needs_more_samples(const Sampling& sampling, const Timings& timings, double spent_seconds);

/// Returns true if a pass comes before the next kernel samples. pass_seconds: total time of the passes so
/// far. is_standalone: see KernelSampler::is_standalone().
bool needs_pass(const Sampling& sampling, const Timings& timings, bool is_standalone, double pass_seconds);

/// Returns the maximum of std::size_t if no count was requested.
std::size_t missing_kernel_samples(const Sampling& sampling, const Timings& timings);

/// Returns how many kernel samples follow at most: one per pass, and all missing ones once passes take too
/// long.
std::size_t max_kernel_samples(const Sampling& sampling, const Timings& timings, double pass_seconds);

/// Returns how often to repeat kernel work of this duration inside one timestamp pair, so that the pair spans
/// a millisecond; 1 if the work alone does.
std::uint32_t repeats_for(double kernel_ns, std::uint64_t dispatches);

}  // namespace gridstride::lab

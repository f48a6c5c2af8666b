// When to stop taking samples.
#pragma once

#include "lab/request.h"
#include "lesson/report.h"

namespace gridstride::lab {

/// A median has settled when the half-width of its 95 % confidence interval is below this part of it. The
/// idea of a relative-error criterion with a minimum of samples and a time budget is nvbench's ("stdrel", its
/// docs/benchmarks.md); the median's interval from order statistics takes the place of the mean's, because
/// timings have a long tail to one side.
inline constexpr double settled_relative_error = 0.02;
inline constexpr std::size_t min_samples = 10;

/// Whether this series is settled.
bool settled(const Timing& timing);
/// Whether it has samples enough to settle and has not. Of fewer that were asked for nobody can say.
bool noisy(const Timing& timing);

/// Passes of the whole plan, each judged, that a series has at least: fewer where fewer samples are asked
/// for.
inline constexpr std::size_t min_passes = 3;
/// Beyond those, a series takes no more passes than fit this time when its kernel samples need none: judging
/// 2^28 elements takes a second, one sample of their kernel a thousandth of that.
inline constexpr double seconds_of_passes = 1;
/// A CPU baseline is timed at least once, and again for so long.
inline constexpr double seconds_of_baselines = 1;
/// Of a task with more operations, some seconds of a CPU thread, it is not timed.
inline constexpr std::uint64_t max_baseline_operations = std::uint64_t{1} << 34;

/// Whether sampling goes on, after `spent_seconds`. Every pass has its wall sample.
bool wants_more(const Sampling& sampling, const Timings& timings, double spent_seconds);

/// Whether a pass comes before the next kernel samples, after passes that took so long together. stand_alone:
/// as KernelSampler::stands_alone().
bool wants_pass(const Sampling& sampling, const Timings& timings, bool stand_alone, double pass_seconds);

/// Kernel samples that were asked for and are not there yet; without end where none were asked for.
std::size_t missing_kernel_samples(const Sampling& sampling, const Timings& timings);

/// How many kernel samples follow at most: one a pass, and all that are missing once passes take too long.
std::size_t max_kernel_samples(const Sampling& sampling, const Timings& timings, double pass_seconds);

/// How often to repeat kernel work that takes so long once inside one timestamp pair, so that the pair spans
/// a millisecond: 1 when it does by itself.
std::uint32_t repeats_for(double kernel_ns, std::uint64_t dispatches);

}  // namespace gridstride::lab

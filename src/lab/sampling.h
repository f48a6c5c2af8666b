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
inline constexpr std::size_t fewest_samples = 10;

/// Whether this series is settled.
bool settled(const Timing& timing);

/// Whether sampling goes on, after `spent_seconds`.
bool wants_more(const Sampling& sampling, const Timing& kernel, double spent_seconds);

/// How often to repeat kernel work that takes so long once inside one timestamp pair, so that the pair spans
/// a millisecond: 1 when it does by itself.
std::uint32_t repeats_for(double kernel_ns, std::uint64_t dispatches);

}  // namespace gridstride::lab

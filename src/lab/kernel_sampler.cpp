#include "lab/kernel_sampler.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "lab/sampling.h"

namespace gridstride::lab {

namespace {

using Clock = std::chrono::steady_clock;

/// The device is awake once the time has improved by less than 2 % for the settling time, or after
/// max_warm_up_time.
constexpr auto settling_time = std::chrono::milliseconds(400);
constexpr auto cpu_settling_time = std::chrono::milliseconds(50);  ///< a CPU's clock needs no warm-up
constexpr auto max_warm_up_time = std::chrono::seconds(2);
constexpr double improvement_ratio = 0.98;

/// On a software driver, work of at least this length is not timed apart from the pass: the state of the
/// caches at its beginning hardly matters, and each run costs seconds.
constexpr double long_kernel_ns = 20e6;

constexpr std::size_t samples_per_burst = 30;
constexpr std::size_t cpu_samples_per_burst = 10;  ///< spreads samples over more of a CPU's other load
constexpr std::size_t samples_per_quick_burst = 3;
constexpr auto max_burst_time = std::chrono::milliseconds(500);

}  // namespace

void KernelSampler::warm_up(const Control& control) {
    const auto settle_time = device_.is_cpu ? cpu_settling_time : settling_time;
    const Clock::time_point start = Clock::now();
    Clock::time_point best_at = start;
    double best = std::numeric_limits<double>::infinity();
    while (!control.is_superseded && Clock::now() - best_at < settle_time &&
           Clock::now() - start < max_warm_up_time) {
        const double time = execution_.time_kernels(repeats_, control);
        if (time < improvement_ratio * best) best_at = Clock::now();
        best = std::min(best, time);
    }
    if (!is_unbatched_ && best < std::numeric_limits<double>::infinity())
        repeats_ = std::max(repeats_, repeats_for(best, execution_.dispatches()));
}

void KernelSampler::fill_burst(std::size_t missing, const Control& control) {
    const std::size_t full_burst =
        device_.is_cpu ? std::min(missing, cpu_samples_per_burst) : samples_per_burst;
    const std::size_t target = is_quick_ ? samples_per_quick_burst : full_burst;
    if (!is_quick_) warm_up(control);
    is_provisional_ = is_quick_;
    is_quick_ = false;
    const Clock::time_point start = Clock::now();
    while (burst_.size() < target && (burst_.empty() || Clock::now() - start < max_burst_time))
        burst_.push_back(execution_.time_kernels(repeats_, control));
}

bool KernelSampler::is_standalone() const {
    return !is_in_pass_ && device_.timestamp_valid_bits > 0 && execution_.can_batch();
}

std::vector<double> KernelSampler::next(const PassTimes& pass, std::size_t max_samples, std::size_t missing,
                                        const Control& control) {
    if (max_samples == 0) return {};
    if (repeats_ == 0) {
        is_in_pass_ =
            device_.is_cpu && pass.ns(Phase::kernel) >= long_kernel_ns && !execution_.cache().is_cold;
        repeats_ = is_unbatched_ || !is_standalone()
                       ? 1
                       : repeats_for(pass.ns(Phase::kernel), execution_.dispatches());
    }
    if (!is_standalone()) return {pass.ns(Phase::kernel)};
    if (burst_.empty()) fill_burst(missing, control);
    const auto end = burst_.begin() + static_cast<std::ptrdiff_t>(std::min(max_samples, burst_.size()));
    std::vector<double> samples(burst_.begin(), end);
    burst_.erase(burst_.begin(), end);
    return samples;
}

}  // namespace gridstride::lab

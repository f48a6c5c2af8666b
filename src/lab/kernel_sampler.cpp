#include "lab/kernel_sampler.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "lab/sampling.h"

namespace gridstride::lab {

namespace {

using Clock = std::chrono::steady_clock;

/// Awake: no faster by 2 % for so long, at most so long in all.
constexpr auto settling_time = std::chrono::milliseconds(400);
constexpr auto longest_wake = std::chrono::seconds(2);
constexpr double faster = 0.98;

constexpr std::size_t samples_a_burst = 30;
constexpr std::size_t samples_a_quick_burst = 3;
constexpr auto longest_burst = std::chrono::milliseconds(500);

}  // namespace

void KernelSampler::wake(const Control& control) {
    const Clock::time_point start = Clock::now();
    Clock::time_point best_at = start;
    double best = std::numeric_limits<double>::infinity();
    while (!control.superseded && Clock::now() - best_at < settling_time &&
           Clock::now() - start < longest_wake) {
        const double time = execution_.time_kernels(repeats_, control);
        if (time < faster * best) best_at = Clock::now();
        best = std::min(best, time);
    }
    if (!unbatched_ && best < std::numeric_limits<double>::infinity())
        repeats_ = std::max(repeats_, repeats_for(best, execution_.dispatches()));
}

void KernelSampler::fill_burst(const Control& control) {
    const std::size_t wanted = quick_ ? samples_a_quick_burst : samples_a_burst;
    if (!quick_) wake(control);
    provisional_ = quick_;
    quick_ = false;
    const Clock::time_point start = Clock::now();
    while (burst_.size() < wanted && (burst_.empty() || Clock::now() - start < longest_burst))
        burst_.push_back(execution_.time_kernels(repeats_, control));
}

bool KernelSampler::stands_alone() const {
    return !device_.is_cpu && device_.timestamp_valid_bits > 0 && execution_.can_batch();
}

double KernelSampler::of_pass(const PassTimes& pass, const Control& control) {
    const bool repeated = repeats_ > 1 || execution_.goes_round();
    return repeated ? execution_.time_kernels(repeats_, control) : pass.kernel_ns;
}

std::vector<double> KernelSampler::next(const PassTimes& pass, std::size_t most, const Control& control) {
    if (most == 0) return {};
    const bool can_repeat = device_.timestamp_valid_bits > 0 && execution_.can_batch();
    if (repeats_ == 0) repeats_ = can_repeat ? repeats_for(pass.kernel_ns, execution_.dispatches()) : 1;
    if (!stands_alone()) return {of_pass(pass, control)};
    if (burst_.empty()) fill_burst(control);
    const auto end = burst_.begin() + static_cast<std::ptrdiff_t>(std::min(most, burst_.size()));
    std::vector<double> samples(burst_.begin(), end);
    burst_.erase(burst_.begin(), end);
    return samples;
}

}  // namespace gridstride::lab

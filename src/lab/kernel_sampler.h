// Times of the kernel work alone, taken from a device that is awake.
#pragma once

#include <cstdint>
#include <deque>

#include "lab/control.h"
#include "lab/execution.h"
#include "lesson/limits.h"

namespace gridstride::lab {

/// A GPU that has little to do lowers its clocks: one that waits for the host between samples was seen to
/// take 590 µs for a kernel of 244 µs (NVIDIA H200, clocks down from 1980 to 345 MHz), and some tenths of a
/// second of work to get them up again. So kernel times are taken in bursts: the kernel work runs until it
/// gets no faster, then many samples follow one another at once. Where a first result is wanted quickly, the
/// first burst is short and does not wait.
class KernelSampler {
 public:
    KernelSampler(Execution& execution, const Limits& device, bool first_quickly)
        : execution_(execution), device_(device), quick_(first_quickly) {}

    /// One sample, nanoseconds of one repeat. pass is the run before it: where the kernel work cannot be
    /// repeated by itself, and on a software device, whose clock does not sleep, its time is the sample.
    double next(const PassTimes& pass, const Control& control);

    std::uint32_t repeats() const { return repeats_; }  ///< inside one timestamp pair

 private:
    void wake(const Control& control);
    void fill_burst(const Control& control);

    Execution& execution_;
    const Limits& device_;
    bool quick_;                 ///< the next burst is the short one
    std::uint32_t repeats_ = 0;  ///< 0: no sample yet
    std::deque<double> burst_;
};

}  // namespace gridstride::lab

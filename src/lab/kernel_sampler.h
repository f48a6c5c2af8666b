// Times of the kernel work alone, taken from a device that is awake.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "lab/control.h"
#include "lab/execution.h"
#include "lab/request.h"
#include "launch/limits.h"

namespace gridstride::lab {

/// A GPU that has little to do lowers its clocks: one that waits for the host between samples was seen to
/// take 590 µs for a kernel of 244 µs (NVIDIA H200, clocks down from 1980 to 345 MHz), and some tenths of a
/// second of work to get them up again. A software driver shares its caches with the host's copies: behind
/// them a kernel over 16 MiB was seen to take 5 ms, and 1.1 ms from the sixth run in a row on. So kernel
/// times are taken in bursts: the kernel work runs until it gets no faster, then samples follow one another
/// at once. Where a first result is wanted quickly, the first burst is short and does not wait: its samples
/// are provisional.
class KernelSampler {
 public:
    KernelSampler(Execution& execution, const Limits& device, const Sampling& sampling)
        : execution_(execution),
          device_(device),
          quick_(sampling.first_quickly),
          unbatched_(sampling.unbatched) {}

    /// Whether samples need no pass of their own: the kernel work is timed by itself, in bursts.
    bool stands_alone() const;

    /// Samples, nanoseconds of one repeat, at most so many: what is left of a burst, or of a new one, which
    /// has no more than are still missing. Where they do not stand alone there is one, of pass, the last run.
    /// None when most is 0.
    std::vector<double> next(const PassTimes& pass, std::size_t most, std::size_t missing,
                             const Control& control);

    std::uint32_t repeats() const { return repeats_; }  ///< inside one timestamp pair
    bool provisional() const { return provisional_; }   ///< the last samples came from the short burst

 private:
    void wake(const Control& control);
    void fill_burst(std::size_t missing, const Control& control);

    Execution& execution_;
    const Limits& device_;
    bool quick_;  ///< the next burst is the short one
    bool provisional_ = false;
    bool in_pass_ = false;       ///< the work is timed in its place in the pass
    std::uint32_t repeats_ = 0;  ///< 0: no sample yet
    bool unbatched_;             ///< repeats_ stays 1
    std::deque<double> burst_;
};

}  // namespace gridstride::lab

// Samples the time of the kernel work alone, with the device's clocks up.
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

/// A GPU with little to do lowers its clocks: one that waited for the host between samples took 590 µs for a
/// kernel of 244 µs (NVIDIA H200, clocks down from 1980 to 345 MHz), and needed some tenths of a second of
/// work to raise them. A software driver shares its caches with the host's copies: after them a kernel over
/// 16 MiB took 5 ms, and 1.1 ms from the sixth run in a row on. So kernel times are taken in bursts: the
/// kernel work runs until it gets no faster, then samples follow one another directly. For a quick first
/// result the first burst is short and skips the warm-up: its samples are provisional.
class KernelSampler {
 public:
    KernelSampler(Execution& execution, const Limits& device, const Sampling& sampling)
        : execution_(execution),
          device_(device),
          is_quick_(sampling.quick_first_report),
          is_unbatched_(sampling.is_unbatched) {}

    /// Returns true if the kernel work is timed by itself, in bursts, so that samples need no pass of their
    /// own.
    bool is_standalone() const;

    /// Returns up to `max_samples` samples, in nanoseconds of one repeat: the rest of a burst, or of a new
    /// one with no more than `missing`. If the work is not timed by itself, returns one, taken from `pass`,
    /// the last run.
    std::vector<double> next(const PassTimes& pass, std::size_t max_samples, std::size_t missing,
                             const Control& control);

    std::uint32_t repeats() const { return repeats_; }       ///< inside one timestamp pair
    bool is_provisional() const { return is_provisional_; }  ///< the last samples come from the short burst

 private:
    void warm_up(const Control& control);
    void fill_burst(std::size_t missing, const Control& control);

    Execution& execution_;
    const Limits& device_;
    bool is_quick_;  ///< the next burst is the short one
    bool is_provisional_ = false;
    bool is_in_pass_ = false;    ///< the work is timed within the pass
    std::uint32_t repeats_ = 0;  ///< 0: no sample yet
    bool is_unbatched_;          ///< repeats_ stays 1
    std::deque<double> burst_;
};

}  // namespace gridstride::lab

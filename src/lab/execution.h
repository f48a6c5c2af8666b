// A plan made ready on a device: memory, pipelines and slices, to be run as often as there are samples.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/buffer.h"
#include "gpu/commands.h"
#include "gpu/device.h"
#include "lab/control.h"
#include "lab/host_arrays.h"
#include "lab/kernel_cache.h"
#include "lab/plan_memory.h"
#include "lab/recording.h"
#include "launch/plan.h"
#include "launch/slices.h"
#include "lesson/report.h"

namespace gridstride::lab {

class Execution {
 public:
    /// plan, input and the kernels in the cache outlive it; the memory is their device's and such a plan's.
    /// Throws std::runtime_error when a pipeline cannot be had.
    Execution(KernelCache& kernels, const Plan& plan, const Input& input, std::shared_ptr<PlanMemory> memory);

    /// Poisons the outputs, writes the guards, then runs the plan. Throws GivenUp.
    PassTimes run(const Control& control);

    /// The host arrays that the last run made. They stay as they are when the plan runs again, as long as the
    /// caller keeps them.
    Outputs outputs() const { return host_.outputs(); }
    /// Gives the last run's arrays away for good: they are in another process's hands, where nobody here can
    /// see for how long.
    void give_outputs_away() { host_.give_away(); }

    /// The output whose guard regions the last run wrote into; empty when none.
    std::string broken_guard(const Control& control);

    /// Whether the kernel work can be repeated inside one timestamp pair: everything that it reads is on the
    /// device after a run. Not where the CPU makes something between two launches that the later one reads.
    bool can_batch() const;
    /// The device time of one repeat of the kernel work, over `repeats` of them, nanoseconds. Launches follow
    /// one another at once: what stands between them in the plan (transfers, ends of submissions) is left
    /// out.
    double time_kernels(std::uint32_t repeats, const Control& control);

    /// From now on time_kernels() goes round copies of the device buffers, as they are after a run, that
    /// together exceed the device's cache, so that every repeat finds its data in memory. False, and nothing
    /// has changed, when memory does not suffice or the kernel work cannot be repeated by itself.
    bool go_round(const Control& control);
    const CacheState& cache() const { return cache_; }

    LaunchFacts launch() const;
    std::uint64_t dispatches() const;  ///< of one run
    /// Compile time of the plan's pipelines, once known.
    double compile_ns() const;
    bool cold() const;                         ///< a pipeline has not been dispatched yet
    void set_compile_time(double compile_ns);  ///< measured by the caller on the first run: marks all as warm

 private:
    void record_upload(Recording& recording, const Upload& upload);
    void record_download(Recording& recording, const Download& download);
    /// Between the arrays of the host and what of them lies in pinned and mapped memory, off the clock.
    void place_inputs();
    void take_results();
    /// How much of its buffer it fetches, bytes; of one that is counted, once the count is on the host.
    std::uint64_t bytes_of(const Download& download) const;
    /// Where a host array lies that is pinned, or is this buffer.
    std::span<std::byte> in_reach_of_device(HostMemory memory, const std::string& array,
                                            std::size_t buffer) const;
    void record_dispatch(Recording& recording, std::size_t step, std::size_t first_slice,
                         std::size_t last_slice);
    void record_fill(Recording& recording, const Fill& fill);
    void run_host_step(Recording& recording, const HostStep& step);
    void prepare(const Control& control);

    const Limits& limits_;
    const Plan& plan_;
    const Input& input_;
    std::shared_ptr<PlanMemory> memory_;
    std::uint64_t next_set_ = 0;  ///< of the memory, that the next timed repeat uses
    CacheState cache_;
    struct Launch {
        std::shared_ptr<KernelCache::Entry> kernel;
        std::vector<Slice> slices;
    };
    std::vector<Launch> launches_;              ///< by step; without kernel and slices for other steps
    std::shared_ptr<KernelCache::Entry> fill_;  ///< null where the plan fills nothing
    gpu::Commands commands_;
    HostArrays host_;
    bool pinned_inputs_are_there_ = false;
};

}  // namespace gridstride::lab

// A plan prepared on a device: memory, pipelines and slices. It can be run any number of times.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/buffer.h"
#include "gpu/commands.h"
#include "gpu/device.h"
#include "lab/command_recorder.h"
#include "lab/control.h"
#include "lab/kernel_cache.h"
#include "lab/plan_memory.h"
#include "launch/plan.h"
#include "launch/slices.h"
#include "lesson/host_arrays.h"
#include "lesson/report.h"

namespace gridstride::lab {

class Execution {
 public:
    /// plan, input and the kernels in the cache must outlive the execution; memory must be made for the same
    /// device and plan. Throws std::runtime_error if a pipeline cannot be created.
    Execution(KernelCache& kernels, const Plan& plan, const Input& input, std::shared_ptr<PlanMemory> memory);

    /// Poisons the outputs, writes the guards, then runs the plan. Throws RunAborted.
    PassTimes run(const Control& control);

    /// Returns the host arrays of the last run. While the caller holds them, later runs do not overwrite
    /// them.
    Outputs outputs() const { return host_.outputs(); }
    /// Releases the last run's arrays for good: another process now uses them, so their memory must never be
    /// reused here.
    void release_outputs() { host_.release(); }

    /// Returns the name of the output whose guard regions the last run overwrote; empty if there is none.
    std::string find_overwritten_output(const Control& control);

    /// Returns true if the kernel work can be repeated within one timestamp pair: after a run, everything
    /// that it reads is on the device. False if a host step produces data between two launches.
    bool can_batch() const;
    /// Returns the device time of one repeat of the kernel work, averaged over `repeats`, in nanoseconds.
    /// Launches follow one another directly, without the transfers and ends of submissions between them.
    double time_kernels(std::uint32_t repeats, const Control& control);

    /// Makes time_kernels() rotate through copies of the device buffers, taken now, that together exceed the
    /// device's cache, so that every repeat reads from memory. Returns false, without any change, if memory
    /// does not suffice or the kernel work cannot be repeated by itself.
    bool rotate_buffers(const Control& control);
    const CacheState& cache() const { return cache_; }

    LaunchInfo launch() const;
    /// Returns the registers of the kernel that a step of the plan launches, for each invocation; 0: unknown.
    std::uint32_t registers(std::size_t step) const { return launches_[step].kernel->kernel.registers(); }
    std::uint64_t dispatches() const;  ///< of one run
    /// Returns the total compile time of the plan's pipelines that are warm.
    double compile_ns() const;
    bool is_cold() const;                      ///< a pipeline has not been dispatched yet
    void set_compile_time(double compile_ns);  ///< measured on the first run; marks all as warm

 private:
    void record_upload(CommandRecorder& recorder, const Upload& upload);
    void record_download(CommandRecorder& recorder, const Download& download);
    // Copy between host arrays and pinned or mapped memory, outside the timed part of a run.
    void copy_inputs();
    void copy_results();
    /// Returns the bytes to download. If they are counted, the count must already be on the host.
    std::uint64_t download_bytes(const Download& download) const;
    std::span<std::byte> device_visible_memory(HostMemory memory, const std::string& array,
                                               std::size_t buffer) const;
    void record_dispatch(CommandRecorder& recorder, std::size_t step, std::size_t first_slice,
                         std::size_t last_slice);
    void record_fill(CommandRecorder& recorder, const Fill& fill);
    void run_host_step(CommandRecorder& recorder, const HostStep& step);
    void prepare(const Control& control);

    const Limits& limits_;
    const Plan& plan_;
    const Input& input_;
    std::shared_ptr<PlanMemory> memory_;
    std::uint64_t next_set_ = 0;  ///< of the buffers, for the next timed repeat
    CacheState cache_;
    struct Launch {
        std::shared_ptr<KernelCache::Entry> kernel;
        std::vector<Slice> slices;
    };
    std::vector<Launch> launches_;              ///< by step; empty for steps of other kinds
    std::shared_ptr<KernelCache::Entry> fill_;  ///< null if the plan has no timed fill
    gpu::Commands commands_;
    HostArrays host_;
    bool are_pinned_inputs_ready_ = false;
    bool is_prepared_ = false;  ///< buffers that are filled once have been
};

}  // namespace gridstride::lab

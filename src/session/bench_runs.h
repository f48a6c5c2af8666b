// Runs the settings on the bench as jobs of the queue.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "jobs/bench_run.h"
#include "jobs/job_queue.h"
#include "present/figures.h"
#include "session/kernel_edits.h"

namespace gridstride {

class BenchRuns {
 public:
    BenchRuns(JobQueue& queue, KernelEdits& kernels) : queue_(queue), kernels_(kernels) {}

    /// Sets the number of samples of later runs; 0 takes as many as the median needs to converge.
    void set_samples(std::uint32_t samples) { samples_ = samples; }
    std::uint32_t samples() const { return samples_; }
    lab::Sampling sampling() const { return {.samples = samples_, .quick_first_report = true}; }
    lab::Request request(Experiment experiment) const {
        return {.experiment = std::move(experiment), .sampling = sampling()};
    }

    /// Replaces the other bench runs.
    void start(lab::Request request, BenchRunOptions options = {});
    /// Queues the requests as one job behind the other bench runs.
    void add(std::vector<lab::Request> requests);
    /// Measures both experiments alternately and replaces the other bench runs: a difference between runs at
    /// different times may come from the machine.
    void start_alternating(const HistoryEntry& pinned, const Experiment& pinned_experiment,
                           const Experiment& bench_experiment);
    /// The kernel times of a pinned run and of the bench, measured alternately.
    struct AlternatingTimes {
        std::vector<Summary> pinned_times, bench_times;
    };
    /// Returns nullopt if the two were not measured alternately, or if those runs have not ended.
    std::optional<AlternatingTimes> alternating_times(const HistoryEntry* pinned,
                                                      const Experiment& bench_experiment) const;
    /// Queues a traced run without times. Replaces traced runs that still wait.
    void trace_run(Experiment experiment, const lab::TraceOptions& what, BenchRunOptions options);
    /// Removes all bench runs from the queue, for a newer request.
    void clear();
    /// Stops the current bench run and removes those that wait.
    void stop();

    const BenchRun* running() const { return dynamic_cast<const BenchRun*>(queue_.running()); }
    /// Returns the run that compiles new source for the first time, if it has no report yet and is not being
    /// stopped; null otherwise.
    const BenchRun* first_compile() const;
    bool is_compiling() const {
        return running() && running()->options().is_first_compile && !queue_.has_report();
    }
    bool is_tracing() const;    ///< running or queued
    bool is_measuring() const;  ///< running or queued
    /// Returns true if source that is due must wait for the current run.
    bool must_delay_compile() const;
    /// If the first compilation of new source is about to be cancelled, schedules it again.
    void requeue_compile();
    /// Clears the diagnostics of the source that is running, because its own may never arrive.
    void clear_diagnostics();

 private:
    template <class Condition>
    bool any(const Condition& condition) const;

    JobQueue& queue_;
    KernelEdits& kernels_;
    std::uint32_t samples_ = 0;
    std::shared_ptr<const BenchRun> alternating_run_;  ///< pinned run and bench, alternately
    const HistoryEntry* pinned_ = nullptr;
};

}  // namespace gridstride

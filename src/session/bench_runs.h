// The runs of what is on the bench, as jobs of the queue.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "jobs/bench_run.h"
#include "jobs/job_queue.h"
#include "present/figures.h"
#include "session/own_kernels.h"

namespace gridstride {

class BenchRuns {
 public:
    BenchRuns(JobQueue& queue, OwnKernels& kernels) : queue_(queue), kernels_(kernels) {}

    /// Each run from here on takes exactly so many samples; 0: as many as settle its median.
    void take_samples(std::uint32_t samples) { samples_ = samples; }
    std::uint32_t samples() const { return samples_; }
    lab::Sampling sampling() const { return {.samples = samples_, .first_quickly = true}; }
    lab::Request request(Experiment experiment) const {
        return {.experiment = std::move(experiment), .sampling = sampling()};
    }

    /// In place of the other runs.
    void start(lab::Request request, BenchUse use = {});
    /// One after the other, behind the other runs.
    void add(std::vector<lab::Request> requests);
    /// Both in turn, in place of the other runs: what differs between two runs that were made at different
    /// times may be the machine's.
    void start_in_turn(const HistoryEntry& pinned, const Experiment& pinned_again, const Experiment& here);
    /// Kernel times of a pinned run and of the bench, measured in turn.
    struct InTurn {
        std::vector<Summary> of_pinned, of_bench;
    };
    /// nullopt: they were not measured so, or not yet to the end.
    std::optional<InTurn> in_turn(const HistoryEntry* pinned, const Experiment& here) const;
    /// A run without times. In place of recordings that wait.
    void record(Experiment experiment, const lab::Recorded& what, BenchUse use);
    /// Something newer takes the place of what runs and waits.
    void clear();
    /// Stops what runs, and takes what waits out of the line.
    void stop();

    /// That the lab works on; null: it is something else's.
    const BenchRun* running() const { return dynamic_cast<const BenchRun*>(queue_.running()); }
    /// The first run of a text, without a report yet, that is not given up; null: there is none.
    const BenchRun* trial() const;
    bool is_compiling() const { return running() && running()->use().trial && !queue_.has_report(); }
    bool is_recording() const;  ///< or one waits
    bool is_measuring() const;  ///< or one waits
    /// Whether a text that is due must wait for what runs.
    bool holds_up_compiling() const;
    /// A text whose compilation is given up for something else is compiled later.
    void keep_trial();
    /// What the compiler says of the text that runs may never be known.
    void forget_diagnostics();

 private:
    template <class Condition>
    bool any(const Condition& condition) const;

    JobQueue& queue_;
    OwnKernels& kernels_;
    std::uint32_t samples_ = 0;
    std::shared_ptr<const BenchRun> in_turn_;  ///< pinned_, then the bench, and so on
    const HistoryEntry* pinned_ = nullptr;
};

}  // namespace gridstride

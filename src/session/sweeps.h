// The newest sweep, and the reports of those before it.
#pragma once

#include <cstdint>
#include <memory>

#include "jobs/job_queue.h"
#include "jobs/sweep.h"
#include "present/report_csv.h"

namespace gridstride {

/// How the newest sweep stands.
enum class SweepState { none, running, stopped, done };

class Sweeps {
 public:
    explicit Sweeps(JobQueue& queue) : queue_(queue) {}

    /// In place of the one before. Throws Refusal; then nothing has changed.
    void start(SweepSpec spec, const Limits& device);
    /// Cancels its run; the cell runs again after resume().
    void stop() { queue_.stop(sweep_.get()); }
    void resume();
    const Sweep* newest() const { return sweep_.get(); }  ///< may be another lesson's; null before the first
    SweepState state() const;
    std::uint64_t number() const { return number_; }  ///< of the newest, from 1
    /// Changes whenever the newest sweep does, also when another takes its place.
    std::uint64_t revision() const { return (number_ << 32) + (sweep_ ? sweep_->revision() : 0); }
    /// Of the newest sweep's cells that have run or are refused.
    Reports reports() const;
    bool has_reports() const { return sweep_ && sweep_->progress().done > 0; }

    /// Of the sweeps before it, also another window's.
    const Reports& earlier_reports() const { return earlier_; }
    void add_earlier(const Reports& reports);

 private:
    JobQueue& queue_;
    std::shared_ptr<Sweep> sweep_;
    std::uint64_t number_ = 0;
    Reports earlier_;
};

}  // namespace gridstride

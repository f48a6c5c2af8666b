// The newest sweep, and the reports of earlier ones.
#pragma once

#include <cstdint>
#include <memory>

#include "jobs/job_queue.h"
#include "jobs/sweep.h"
#include "present/report_csv.h"

namespace gridstride {

enum class SweepState { none, running, stopped, done };

class Sweeps {
 public:
    explicit Sweeps(JobQueue& queue) : queue_(queue) {}

    /// Replaces the previous sweep. Throws Refusal; nothing has changed then.
    void start(SweepSpec spec, const Limits& device);
    /// Cancels the current run; resume() repeats its cell.
    void stop() { queue_.stop(sweep_.get()); }
    void resume();  ///< continues a stopped sweep with the cells that have no result
    const Sweep* newest() const { return sweep_.get(); }  ///< may be another lesson's; null before the first
    SweepState state() const;
    std::uint64_t number() const { return number_; }  ///< of the newest sweep, from 1
    /// Changes whenever the newest sweep changes or is replaced.
    std::uint64_t revision() const { return (number_ << 32) + (sweep_ ? sweep_->revision() : 0); }
    /// Returns the reports of the newest sweep's cells that have run or were refused.
    Reports reports() const;
    bool has_reports() const { return sweep_ && sweep_->progress().done > 0; }

    /// Returns the reports of earlier sweeps, with those of restored sessions.
    const Reports& earlier_reports() const { return earlier_; }
    void add_earlier(const Reports& reports);

 private:
    JobQueue& queue_;
    std::shared_ptr<Sweep> sweep_;
    std::uint64_t number_ = 0;
    Reports earlier_;
};

}  // namespace gridstride

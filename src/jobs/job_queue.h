// Schedules jobs on the lab by priority: work that the user is waiting for runs first. A preempted job keeps
// its place in the queue and its state.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "client/client.h"
#include "jobs/job.h"

namespace gridstride {

/// Priorities in descending order. A job of a higher priority preempts one of a lower priority, whose request
/// the queue submits again afterwards.
enum class JobPriority { bench, question, exercise, sweep, picture };

struct JobState {
    const Job* job;
    bool is_running = false, is_stopping = false;  ///< if both are false, the job waits
    double seconds = 0;                            ///< since it was queued
    /// The job's own progress; for a job of one run, the progress in slices. If the job does not know the
    /// time left, the queue estimates it from the runs that have ended.
    JobProgress progress;
};

class JobQueue {
 public:
    using Clock = std::chrono::steady_clock;

    /// `now` is the clock that elapsed times are computed from.
    JobQueue(lab::Client& client, std::function<Clock::time_point()> now)
        : client_(client), now_(std::move(now)) {}

    /// Queues a job behind the others of its priority, and submits its request if it is first. If the job is
    /// already queued and being stopped, it continues instead.
    void add(std::shared_ptr<Job> job, JobPriority priority);
    /// Cancels the job's run and removes the job from the queue after its final report. A job that is not
    /// running gets a final report with Status::stopped at once. Does nothing if the job is not queued.
    void stop(const Job* job);
    /// Cancels the run of a job of this priority, and removes the other jobs of this priority.
    void stop(JobPriority priority);
    /// Removes a job from the queue without a final report. Its run continues until another one replaces it;
    /// its reports are ignored.
    void remove(const Job* job);
    void remove_all(JobPriority priority);
    /// Ends all jobs at once with Status::stopped. Used when the lab no longer exists.
    void stop_all();

    struct JobReport {
        std::shared_ptr<Job> job;
        lab::Request request;
        Report report;
        bool is_finished = false;  ///< the job has left the queue
    };
    /// Returns the next report of a queued job, or nullopt if none has arrived. Throws NoDevice.
    std::optional<JobReport> poll();
    /// Submits the first request unless it is already running. add() calls it; the caller of poll() must call
    /// it after handling all reports.
    void submit_next();

    bool empty() const { return jobs_.empty(); }
    bool contains(const Job* job) const;     ///< true also while the job is being stopped
    bool is_stopping(const Job* job) const;  ///< its request is cancelled, and has not ended yet
    bool contains(JobPriority priority) const { return count(priority) > 0; }
    std::size_t count(JobPriority priority) const;
    /// Returns the job whose request the lab is running, or null.
    const Job* running() const { return running_ ? running_->job.get() : nullptr; }
    std::optional<JobPriority> running_priority() const;
    /// Returns the seconds since the running request was submitted; 0 if none is running.
    double seconds_running() const;
    bool has_report() const { return running_ && running_->has_report; }
    /// Returns the progress of the running request, or nullopt if it is unknown.
    std::optional<lab::RunProgress> run_progress() const;
    /// Returns the jobs in the order in which they will run.
    std::vector<const Job*> jobs() const;
    std::vector<JobState> states() const;  ///< in the same order

 private:
    struct Entry {
        std::shared_ptr<Job> job;
        JobPriority priority;
        std::optional<lab::Request> request;  ///< the next one, or the running one
        Clock::time_point queue_time;
        Clock::time_point submit_time = {};  ///< when the request was submitted
        double seconds_run = 0;              ///< of the requests that have ended
        bool has_report = false;
        bool is_stopping = false;
    };
    using Queue = std::deque<std::shared_ptr<Entry>>;
    Queue::const_iterator find(const Job* job) const;
    void report_as_stopped(Entry& entry);
    JobProgress compute_progress(const Entry& entry) const;

    lab::Client& client_;
    std::function<Clock::time_point()> now_;
    Queue jobs_;                      ///< sorted by priority
    std::shared_ptr<Entry> running_;  ///< an element of jobs_, or null
    std::uint64_t next_id_ = 1;
};

}  // namespace gridstride

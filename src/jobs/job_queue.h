// Decides which job the lab works on. What a person waits for comes first; a job that has to wait for another
// keeps its place and its state.
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

/// The first goes first. A job of a higher priority interrupts one of a lower priority, whose request is
/// submitted again afterwards.
enum class JobPriority { bench, question, exercise, sweep, picture };

/// How a job in line stands.
struct JobState {
    const Job* job;
    bool running = false, stopping = false;  ///< neither: it waits
    double seconds = 0;                      ///< since it was put in line
    /// The job's own; of a job of one run, the slices of that. The time left is estimated from the runs that
    /// have ended where the job does not know it.
    JobProgress progress;
};

class JobQueue {
 public:
    using Clock = std::chrono::steady_clock;

    /// `now`: what elapsed times are computed from.
    JobQueue(lab::Client& client, std::function<Clock::time_point()> now)
        : client_(client), now_(std::move(now)) {}

    /// Puts a job in line behind the others of its priority, and submits it if it is first. One that is being
    /// stopped goes on instead.
    void add(std::shared_ptr<Job> job, JobPriority priority);
    /// Cancels its run. The job leaves the line after its final report, which it gets at once, with
    /// Status::stopped, where the lab does not have its request. No effect if it is not in line.
    void stop(const Job* job);
    /// Cancels the run of a job of this priority, and takes the others of it out of the line.
    void stop(JobPriority priority);
    /// Takes a job out of the line without a word: reports of its run are ignored. Its run goes on until
    /// another one takes its place.
    void remove(const Job* job);
    /// remove() for all jobs of this priority.
    void remove_all(JobPriority priority);
    /// Ends all jobs as stopped, at once: there is no lab any more.
    void stop_all();

    /// A report that the lab sent, with the job that it was handed to.
    struct Answer {
        std::shared_ptr<Job> job;
        lab::Request request;
        Report report;
        bool finished = false;  ///< the job has left the line
    };
    /// The next report of a job in line; nullopt: none has come. Throws NoDevice.
    std::optional<Answer> poll();
    /// Submits what is first, unless it runs already. Done by add() and, once all answers are taken, by the
    /// caller of poll().
    void submit_next();

    bool empty() const { return line_.empty(); }
    bool holds(const Job* job) const;  ///< also while it is being stopped
    bool is_stopping(const Job* job) const;
    bool holds(JobPriority priority) const { return count(priority) > 0; }
    std::size_t count(JobPriority priority) const;  ///< of the jobs in line
    /// The job whose request the lab has; null: none.
    const Job* running() const { return running_ ? running_->job.get() : nullptr; }
    std::optional<JobPriority> running_priority() const;
    /// Since the request that the lab has was submitted; 0: it has none.
    double seconds_running() const;
    bool has_report() const { return running_ && running_->has_report; }  ///< of that request, a first one
    /// How far that run has come; nullopt while nothing is known of it.
    std::optional<lab::Progress> progress_of_run() const;
    /// In the order in which they will run.
    std::vector<const Job*> jobs() const;
    std::vector<JobState> states() const;  ///< in the same order

 private:
    struct Entry {
        std::shared_ptr<Job> job;
        JobPriority priority;
        std::optional<lab::Request> request;  ///< the next, or the one under way
        Clock::time_point added;
        Clock::time_point since = {};  ///< when the request was submitted
        double seconds_run = 0;        ///< of the requests that have ended
        bool has_report = false;
        bool stopping = false;
    };
    using Line = std::deque<std::shared_ptr<Entry>>;
    Line::const_iterator find(const Job* job) const;
    void end_as_stopped(Entry& entry);
    JobProgress progress_of(const Entry& entry) const;

    lab::Client& client_;
    std::function<Clock::time_point()> now_;
    Line line_;                       ///< by priority
    std::shared_ptr<Entry> running_;  ///< one of the line, or null
    std::uint64_t next_id_ = 1;
};

}  // namespace gridstride

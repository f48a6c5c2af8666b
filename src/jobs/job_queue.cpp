#include "jobs/job_queue.h"

#include <algorithm>
#include <utility>

namespace gridstride {

JobQueue::Queue::const_iterator JobQueue::find(const Job* job) const {
    return std::ranges::find_if(jobs_, [&](const auto& entry) { return entry->job.get() == job; });
}

void JobQueue::add(std::shared_ptr<Job> job, JobPriority priority) {
    if (const auto found = find(job.get()); found != jobs_.end()) {
        (*found)->is_stopping = false;
        return;
    }
    std::optional<lab::Request> first = job->next();
    if (!first) return;
    const auto behind =
        std::ranges::find_if(jobs_, [&](const auto& entry) { return entry->priority > priority; });
    jobs_.insert(behind, std::make_shared<Entry>(Entry{std::move(job), priority, std::move(first), now_()}));
    submit_next();
}

void JobQueue::submit_next() {
    if (jobs_.empty() || jobs_.front() == running_) return;
    if (running_ && running_->is_stopping) report_as_stopped(*running_);
    running_ = jobs_.front();
    running_->request->id = next_id_++;
    running_->submit_time = now_();
    running_->has_report = false;
    client_.submit(lab::Request(*running_->request));
}

/// The lab does not answer a request that it never received, so the queue reports it as stopped.
void JobQueue::report_as_stopped(Entry& entry) {
    entry.job->on_report(lab::make_stopped_report(*entry.request, Limits{}), 0);
    jobs_.erase(find(entry.job.get()));
}

void JobQueue::stop(const Job* job) {
    const auto found = find(job);
    if (found == jobs_.end()) return;
    if (*found != running_) return report_as_stopped(*std::shared_ptr(*found));
    if (!std::exchange(running_->is_stopping, true)) client_.cancel();
}

void JobQueue::stop(JobPriority priority) {
    std::erase_if(jobs_, [&](const auto& entry) { return entry->priority == priority && entry != running_; });
    if (running_priority() == priority) stop(running());
}

void JobQueue::remove(const Job* job) {
    const auto found = find(job);
    if (found == jobs_.end()) return;
    if (*found == running_) running_.reset();
    jobs_.erase(found);
}

void JobQueue::remove_all(JobPriority priority) {
    if (running_priority() == priority) running_.reset();
    std::erase_if(jobs_, [&](const auto& entry) { return entry->priority == priority; });
}

void JobQueue::stop_all() {
    running_.reset();
    while (!jobs_.empty())
        report_as_stopped(*std::shared_ptr(jobs_.front()));
}

std::optional<JobQueue::JobReport> JobQueue::poll() {
    while (std::optional<Report> report = client_.poll()) {
        // Ignore the report of a run that another request has replaced.
        if (!running_ || report->request != running_->request->id) continue;
        const std::shared_ptr<Entry> entry = running_;
        JobReport answer{entry->job, *entry->request, std::move(*report)};
        entry->job->on_report(answer.report, seconds_running());
        entry->has_report = true;
        if (!answer.report.is_final) return answer;
        entry->seconds_run += seconds_running();
        running_.reset();
        entry->request = entry->is_stopping ? std::nullopt : entry->job->next();
        answer.is_finished = !entry->request;
        if (answer.is_finished) jobs_.erase(find(entry->job.get()));
        return answer;
    }
    return std::nullopt;
}

bool JobQueue::contains(const Job* job) const {
    return find(job) != jobs_.end();
}

bool JobQueue::is_stopping(const Job* job) const {
    const auto found = find(job);
    return found != jobs_.end() && (*found)->is_stopping;
}

std::size_t JobQueue::count(JobPriority priority) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(jobs_, [&](const auto& entry) { return entry->priority == priority; }));
}

std::optional<JobPriority> JobQueue::running_priority() const {
    return running_ ? std::optional(running_->priority) : std::nullopt;
}

double JobQueue::seconds_running() const {
    return running_ ? std::chrono::duration<double>(now_() - running_->submit_time).count() : 0;
}

std::optional<lab::RunProgress> JobQueue::run_progress() const {
    const std::optional<lab::RunProgress> now = client_.progress();
    if (!now || !running_ || now->request != running_->request->id) return std::nullopt;
    return now;
}

std::vector<const Job*> JobQueue::jobs() const {
    std::vector<const Job*> jobs;
    for (const auto& entry : jobs_)
        jobs.push_back(entry->job.get());
    return jobs;
}

JobProgress JobQueue::compute_progress(const Entry& entry) const {
    JobProgress progress = entry.job->progress();
    const bool runs = running_.get() == &entry;
    const std::optional<lab::RunProgress> run = runs ? run_progress() : std::nullopt;
    if (progress.total == 1 && run && run->slices > 1)
        return {run->slices_done, run->slices, run->seconds_left};
    if (!progress.seconds_left && progress.done > 0)
        progress.seconds_left = entry.seconds_run / static_cast<double>(progress.done) *
                                static_cast<double>(progress.total - progress.done);
    if (progress.seconds_left && runs)
        progress.seconds_left = std::max(*progress.seconds_left - seconds_running(), 0.0);
    return progress;
}

std::vector<JobState> JobQueue::states() const {
    std::vector<JobState> states;
    for (const auto& entry : jobs_)
        states.push_back({entry->job.get(), entry == running_, entry->is_stopping,
                          std::chrono::duration<double>(now_() - entry->queue_time).count(),
                          compute_progress(*entry)});
    return states;
}

}  // namespace gridstride

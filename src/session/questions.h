// The questions of all lessons that are being decided, and the runs that decided each one.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "jobs/job_queue.h"
#include "jobs/question_job.h"
#include "present/figures.h"
#include "session/device_progress.h"

namespace gridstride {

class Questions {
 public:
    Questions(JobQueue& queue, DeviceProgress& progress) : queue_(queue), progress_(progress) {}

    /// Starts the runs that decide the question. They use the values of the story, not later changes of the
    /// bench. `input` is the user's file; if it is empty, the lesson generates the input. If a setting is
    /// invalid, the question's prediction holds the reason.
    void start(const ProgressKey& key, const Lesson& lesson, const Story& story, UserData input,
               const lab::Sampling& sampling, bool is_cpu);
    /// Returns the job that is deciding the question, or null.
    const QuestionJob* job(const ProgressKey& key) const;
    const ProgressKey* find_key(const Job* job) const;
    void remove(const ProgressKey& key);   ///< with its job and its runs
    void erase(const CourseEntry* entry);  ///< the questions of a story, or all if null
    void clear_jobs() { jobs_.clear(); }   ///< they are decided at the next start

    /// `run` is the newest run of the question's job.
    void add_run(const ProgressKey& key, const HistoryEntry& run) { runs_[key].push_back(&run); }
    /// Returns the runs that last decided the question, in the order of its runs; empty if none has since the
    /// program started.
    std::vector<const HistoryEntry*> deciding_runs(const ProgressKey& key) const;
    /// Stores the outcomes of the jobs that have left the queue.
    void store_outcomes();

 private:
    JobQueue& queue_;
    DeviceProgress& progress_;
    std::map<ProgressKey, std::shared_ptr<QuestionJob>> jobs_;
    std::map<ProgressKey, std::vector<const HistoryEntry*>> runs_;
};

}  // namespace gridstride

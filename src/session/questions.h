// The questions of all lessons that are being decided, and the runs that decided each one.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "jobs/job_queue.h"
#include "jobs/question_job.h"
#include "present/figures.h"
#include "session/answers.h"

namespace gridstride {

class Questions {
 public:
    Questions(JobQueue& queue, Answers& answers) : queue_(queue), answers_(answers) {}

    /// Starts the runs that decide the question. They use the values of the story, not later changes of the
    /// bench. `input` is the user's file; if it is empty, the lesson generates the input. If a setting is
    /// invalid, the question's prediction holds the reason.
    void start(const LearnedKey& key, const Lesson& lesson, const Story& story, UserData input,
               const lab::Sampling& sampling);
    /// Returns the job that is deciding the question, or null.
    const QuestionJob* job(const LearnedKey& key) const;
    const LearnedKey* key_of(const Job* job) const;
    void remove(const LearnedKey& key);    ///< with its job and its runs
    void forget(const Lesson* lesson);     ///< the questions of a lesson, or all if null
    void forget_jobs() { jobs_.clear(); }  ///< they are decided at the next start

    /// `run` is the newest run of the question's job.
    void add_run(const LearnedKey& key, const HistoryEntry& run) { runs_[key].push_back(&run); }
    /// Returns the runs that last decided the question, in the order of its runs; empty if none has since the
    /// program started.
    std::vector<const HistoryEntry*> runs_of(const LearnedKey& key) const;
    /// Stores the outcomes of the jobs that have left the queue.
    void take_outcomes();

 private:
    JobQueue& queue_;
    Answers& answers_;
    std::map<LearnedKey, std::shared_ptr<QuestionJob>> jobs_;
    std::map<LearnedKey, std::vector<const HistoryEntry*>> runs_;
};

}  // namespace gridstride

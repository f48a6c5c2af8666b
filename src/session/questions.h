// The questions that are being decided, of all lessons, and the runs that decided each.
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

    /// Starts the runs that decide it. They begin with the story's values, not with what the bench was
    /// changed to since. `input`: a file of the person's own, else the lesson's. Where a setting cannot be,
    /// the question's prediction says why.
    void start(const LearnedKey& key, const Lesson& lesson, const Story& story, UserData input,
               const lab::Sampling& sampling);
    /// What decides it now; null: nothing does.
    const QuestionJob* job(const LearnedKey& key) const;
    /// The question that a job decides; null: it decides none.
    const LearnedKey* key_of(const Job* job) const;
    void remove(const LearnedKey& key);    ///< its job and its runs
    void forget(const Lesson* lesson);     ///< those of a lesson, or, with null, all
    void forget_jobs() { jobs_.clear(); }  ///< they are decided at the next start

    /// The run is the job's newest.
    void add_run(const LearnedKey& key, const HistoryEntry& run) { runs_[key].push_back(&run); }
    /// The runs that decided it last, in the order of the question's; empty when none has since the program
    /// started.
    std::vector<const HistoryEntry*> runs_of(const LearnedKey& key) const;
    /// Takes in the outcomes of the jobs that have left the line.
    void take_outcomes();

 private:
    JobQueue& queue_;
    Answers& answers_;
    std::map<LearnedKey, std::shared_ptr<QuestionJob>> jobs_;
    std::map<LearnedKey, std::vector<const HistoryEntry*>> runs_;
};

}  // namespace gridstride

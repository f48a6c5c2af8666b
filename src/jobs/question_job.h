// Runs what decides a question of a story, until it is decided or cannot be.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/job.h"
#include "lesson/lesson.h"
#include "story/story.h"

namespace gridstride {

class QuestionJob final : public Job {
 public:
    /// start: the step's experiment, on top of which the question's runs are made, with the lesson's own
    /// kernel. An empty answer is for whoever only wants the values. sampling: of each run. Throws Refusal
    /// where a setting of a run cannot be.
    QuestionJob(const Lesson& lesson, PredictBlock question, const Experiment& start, Answer answer,
                const lab::Sampling& sampling = {});

    std::string title() const override;
    /// For each run of the question, in order: a recording where it says one of the question's numbers, then
    /// the run that is measured. Where a measured number does not decide it, all of them again, longer.
    std::optional<lab::Request> next() override;
    void on_report(const Report& report, double seconds) override;
    JobProgress progress() const override;  ///< runs; the longer ones come on top

    bool measures_longer() const { return measures_longer_; }
    /// nullopt until all runs have ended, and where they do not decide it: see problem().
    const std::optional<Outcome>& outcome() const { return outcome_; }
    /// Why the question is not decided, a sentence. Empty while it runs, and once it is decided.
    const std::string& problem() const { return problem_; }
    /// The measured runs so far, in the order of the question's, without arrays. Report::recorded is that of
    /// the recording before.
    const std::vector<Report>& runs() const { return runs_; }
    /// One for each run of the question.
    const std::vector<Experiment>& experiments() const { return experiments_; }

 private:
    std::size_t next_run() const { return runs_.size() % experiments_.size(); }
    bool next_is_recorded() const;
    void decide();

    PredictBlock question_;
    Answer answer_;
    lab::Sampling sampling_;
    std::vector<Experiment> experiments_;
    std::vector<Report> runs_;
    std::optional<std::vector<RecordedMetric>> recorded_;  ///< of the next run
    bool measures_longer_ = false;
    std::optional<Outcome> outcome_;
    std::string problem_;
};

/// Whether a run of the question, which stands at a step with this variant, is of the other one.
bool asks_about(const PredictBlock& question, std::string_view step_variant, std::string_view variant);

/// Whether a recording says one of the question's numbers.
bool asks_recording(const PredictBlock& question);

}  // namespace gridstride

// The job that runs the experiments of a story's question until the measurements decide it.
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
    /// `question` must be one of question_for_device(): its gpu_runs are not used.
    /// `start` is the step's experiment; the question's runs apply their settings on top of it and use the
    /// lesson's kernel. `answer` may be empty if only the values are needed. `sampling` applies to each run.
    /// `gpus`: see decide(). Throws Refusal if a setting of a run is invalid.
    QuestionJob(const Lesson& lesson, PredictBlock question, const Experiment& start, Answer answer,
                const lab::Sampling& sampling = {}, std::vector<GpuValues> gpus = {});

    std::string title() const override;
    /// Returns, for each run of the question in order, a traced run if the question needs a traced metric of
    /// it, and then the measured run. If the measurements do not decide the question, measures all runs once
    /// more, for longer.
    std::optional<lab::Request> next() override;
    void on_report(const Report& report, double seconds) override;
    JobProgress progress() const override;  ///< in runs; longer measurements add to the total

    bool measures_longer() const { return measures_longer_; }
    /// Returns nullopt until all runs have ended, or if they do not decide the question: see problem().
    const std::optional<Outcome>& outcome() const { return outcome_; }
    /// Returns a sentence that says why the question could not be decided. Empty while the job runs and once
    /// the question is decided.
    const std::string& problem() const { return problem_; }
    /// Returns the measured runs in the order of the question's runs, without arrays. Report::trace_metrics
    /// holds the metrics of the traced run before it.
    const std::vector<Report>& runs() const { return runs_; }
    const std::vector<Experiment>& experiments() const { return experiments_; }

 private:
    std::size_t next_run() const { return runs_.size() % experiments_.size(); }
    bool is_next_traced() const;
    void decide();

    PredictBlock question_;
    Answer answer_;
    std::vector<GpuValues> gpus_;
    lab::Sampling sampling_;
    std::vector<Experiment> experiments_;
    std::vector<Report> runs_;
    std::optional<std::vector<TraceMetric>> traced_metrics_;  ///< metrics of the next run's trace
    bool measures_longer_ = false;
    std::optional<Outcome> outcome_;
    std::string problem_;
};

/// Returns true if the question compares or measures this variant on any kind of device. `step_variant` is
/// the variant of its step.
bool involves_variant(const PredictBlock& question, std::string_view step_variant, std::string_view variant);

bool needs_trace(const PredictBlock& question);

}  // namespace gridstride

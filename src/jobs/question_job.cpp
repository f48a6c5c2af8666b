#include "jobs/question_job.h"

#include <algorithm>
#include <utility>

#include "base/language.h"
#include "jobs/trace_analysis.h"
#include "lesson/trace_metrics.h"

namespace gridstride {

namespace {

template <class Condition>
bool any_metric(const PredictBlock& question, const Condition& condition) {
    bool any = false;
    for_each_metric(question, [&](const RunMetric& metric) { any = any || condition(metric); });
    return any;
}

/// Returns why a traced metric of the question has no value, or an empty string if all have one.
std::string missing_metric_reason(const PredictBlock& question, const std::vector<Report>& runs) {
    std::string reason;
    for_each_metric(question, [&](const RunMetric& metric) {
        if (!reason.empty() || !is_trace_metric(metric.metric) || metric.run > runs.size()) return;
        const auto found = find_trace_metric(runs[metric.run - 1], metric.metric);
        if (!found)
            reason = tr("The trace of this run has no {}.", metric.metric);
        else if (!found->value)
            reason = found->sentence;
    });
    return reason;
}

std::string run_failure_reason(const Report& report) {
    return report.message.empty() ? tr("The run ended as {}.", name(report.status)) : report.message;
}

}  // namespace

bool needs_trace(const PredictBlock& question) {
    return any_metric(question, [](const RunMetric& metric) { return is_trace_metric(metric.metric); });
}

bool involves_variant(const PredictBlock& question, std::string_view step_variant, std::string_view variant) {
    const auto has_run = [&](const std::vector<std::vector<Setting>>& runs) {
        return std::ranges::any_of(runs, [&](const std::vector<Setting>& run) {
            const auto set = std::ranges::find(run, "variant", &Setting::name);
            return variant == (set == run.end() ? step_variant : std::string_view(set->value));
        });
    };
    const bool uses_step = question.runs.empty() && variant == step_variant;
    return uses_step || has_run(question.runs) || has_run(question.gpu_runs);
}

QuestionJob::QuestionJob(const Lesson& lesson, PredictBlock question, const Experiment& start, Answer answer,
                         const lab::Sampling& sampling, std::vector<GpuValues> gpus)
    : question_(std::move(question)),
      answer_(std::move(answer)),
      gpus_(std::move(gpus)),
      sampling_(sampling),
      experiments_(question_.run_count(), start) {
    for (std::size_t i = 0; i < experiments_.size(); ++i) {
        if (!question_.runs.empty()) apply(lesson, question_.runs[i], experiments_[i]);
        apply_input_extent(lesson, experiments_[i]);
    }
}

std::string QuestionJob::title() const {
    std::string question;
    for (const Span& span : parse_inline(question_.question))
        question += span.text;
    return tr("Question: {}", question);
}

JobProgress QuestionJob::progress() const {
    const std::size_t rounds = measures_longer_ ? 2 : 1;
    const bool is_decided = outcome_ || !problem_.empty();
    const std::size_t before = (rounds - 1) * experiments_.size();
    return {before + (is_decided ? runs_.size() : next_run()), rounds * experiments_.size()};
}

bool QuestionJob::is_next_traced() const {
    return !traced_metrics_ && any_metric(question_, [&](const RunMetric& metric) {
        return metric.run == next_run() + 1 && is_trace_metric(metric.metric);
    });
}

std::optional<lab::Request> QuestionJob::next() {
    if (outcome_ || !problem_.empty()) return std::nullopt;
    lab::Request request{.experiment = experiments_[next_run()], .sampling = sampling_};
    if (is_next_traced()) {
        request.trace_options = lab::TraceOptions{};
        request.sampling.measure = false;
    } else if (measures_longer_) {
        request.sampling = with_longer_budget(sampling_);
    }
    return request;
}

void QuestionJob::on_report(const Report& report, double) {
    if (!report.is_final) return;
    if (!report.is_measured()) problem_ = run_failure_reason(report);
    if (is_next_traced()) {
        traced_metrics_ = trace_metrics(report);
        return;
    }
    if (runs_.size() == experiments_.size()) runs_.clear();  // drop the shorter measurements
    Report& run = runs_.emplace_back(Report(report));
    run.drop_arrays();
    run.trace_metrics = std::exchange(traced_metrics_, std::nullopt).value_or(std::vector<TraceMetric>{});
    if (problem_.empty() && runs_.size() == experiments_.size()) decide();
}

void QuestionJob::decide() {
    std::vector<const Report*> reports;
    for (const Report& run : runs_)
        reports.push_back(&run);
    outcome_ = gridstride::decide(question_, reports, answer_, gpus_);
    if (!outcome_) {
        problem_ = missing_metric_reason(question_, runs_);
        if (problem_.empty()) problem_ = tr("The runs do not provide the number that the question needs.");
        return;
    }
    // Measuring for more time changes neither chance nor traced metrics.
    const bool is_measured =
        any_metric(question_, [](const RunMetric& metric) { return !is_trace_metric(metric.metric); });
    if (outcome_->result != Outcome::Result::undecided || question_.is_by_chance || !is_measured) return;
    if (std::exchange(measures_longer_, true)) {
        outcome_->explanation =
            tr("On this device, a longer measurement does not decide it either. ") + outcome_->explanation;
        return;
    }
    outcome_.reset();
}

}  // namespace gridstride

#include "learned/deciding.h"

#include <fmt/format.h>

#include "lesson/recorded_metrics.h"
#include "story/story_blocks.h"

namespace gridstride {

std::vector<Experiment> deciding_experiments(const Lesson& lesson, const Experiment& start,
                                             const PredictBlock& question) {
    std::vector<Experiment> experiments(question.run_count(), start);
    for (std::size_t i = 0; i < experiments.size(); ++i) {
        if (!question.runs.empty()) apply(lesson, question.runs[i], experiments[i]);
        take_count_of_input(lesson, experiments[i]);
    }
    return experiments;
}

bool asks_recording(const PredictBlock& question, std::size_t run) {
    bool asks = false;
    for_each_metric(question, [&](const RunMetric& metric) {
        asks = asks || (metric.run == run && is_recorded_metric(metric.metric));
    });
    return asks;
}

bool asks_recording(const PredictBlock& question) {
    bool asks = false;
    for_each_metric(question,
                    [&](const RunMetric& metric) { asks = asks || is_recorded_metric(metric.metric); });
    return asks;
}

bool asks_measuring(const PredictBlock& question) {
    bool asks = false;
    for_each_metric(question,
                    [&](const RunMetric& metric) { asks = asks || !is_recorded_metric(metric.metric); });
    return asks;
}

std::string why_not_recorded(const PredictBlock& question, const std::vector<const Report*>& reports) {
    std::string why;
    for_each_metric(question, [&](const RunMetric& metric) {
        if (!why.empty() || !is_recorded_metric(metric.metric) || metric.run > reports.size()) return;
        const auto found = find_recorded(*reports[metric.run - 1], metric.metric);
        if (!found)
            why = fmt::format("The recording of this run has no {}.", metric.metric);
        else if (!found->value)
            why = found->sentence;
    });
    return why;
}

}  // namespace gridstride

#include "learned/deciding.h"

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

}  // namespace gridstride

// The runs that decide a question of a story.
#pragma once

#include <vector>

#include "lesson/lesson.h"
#include "story/story.h"

namespace gridstride {

/// In the order of the question's runs, each on top of `start`, the step's experiment: with the lesson's own
/// kernel, which the question is about. Throws Refusal where a setting cannot be.
std::vector<Experiment> deciding_experiments(const Lesson& lesson, const Experiment& start,
                                             const PredictBlock& question);

}  // namespace gridstride

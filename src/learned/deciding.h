// The runs that decide a question of a story.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lesson/lesson.h"
#include "story/story.h"

namespace gridstride {

/// In the order of the question's runs, each on top of `start`, the step's experiment: with the lesson's own
/// kernel, which the question is about. Throws Refusal where a setting cannot be.
std::vector<Experiment> deciding_experiments(const Lesson& lesson, const Experiment& start,
                                             const PredictBlock& question);

/// Whether a recording of the question's run, counted from 1, says one of its numbers. It is a run of its own
/// of the same experiment: its Report::recorded belongs into the report of the one that is measured.
bool asks_recording(const PredictBlock& question, std::size_t run);
bool asks_recording(const PredictBlock& question);  ///< of any
/// Whether any of its numbers is measured.
bool asks_measuring(const PredictBlock& question);

/// Why a recording of these runs does not say a number that the question asks of it: a sentence. Empty: it
/// says them all.
std::string why_not_recorded(const PredictBlock& question, const std::vector<const Report*>& reports);

}  // namespace gridstride

// Finds errors in a lesson's stories that readers would otherwise meet at some step, for `gridstride check`
// and the tests.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "story/story.h"

namespace gridstride {

/// Returns one sentence per error, for example "FILE:LINE: step "Who adds?": set: …"; empty if there is none.
/// Finds missing front matter, settings that no typical device allows, controls that the lesson does not
/// have, missing kernel regions, kernel lines without a statement, unknown block names, terms without a
/// glossary entry and, in questions, choices without a `why`, labels that only compare, and placeholders that
/// nothing fills.
std::vector<std::string> find_story_errors(const Lesson& lesson, const Story& story);
/// Returns an error for each story of the lesson, its own or a further one, that has no English file.
std::vector<std::string> find_missing_stories(const Lesson& lesson);
/// Returns an error for each id that two stories of the lesson have. Leaves out stories that cannot be read.
std::vector<std::string> find_shared_ids(const Lesson& lesson);
/// Returns an error for each step whose ids (of step, questions and exercise) differ from the English
/// story's.
std::vector<std::string> find_id_differences(const Story& story, const Story& english);

/// Names that are only known after a run: the ids of a lesson's facts and plots.
struct RunNames {
    std::set<std::string, std::less<>> facts;
    std::set<std::string, std::less<>> plots;
};
/// Returns a sentence for every metric and plot of the story, including its card's picture, that is neither
/// in `known` nor common to all lessons.
std::vector<std::string> find_unknown_names(const Story& story, const RunNames& known);

/// Returns the experiments that a reader of the story runs: those of every step, prediction and exercise,
/// without those for GPUs only.
/// Leaves out invalid settings.
std::vector<Experiment> collect_experiments(const Lesson& lesson, const Story& story);

}  // namespace gridstride

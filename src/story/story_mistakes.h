// What is wrong with a lesson's stories, for `gridstride check` and the tests: everything that a reader would
// only meet at that step.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "story/story.h"

namespace gridstride {

/// A sentence for all that is missing or cannot be: in the front matter, settings that no usual device can
/// have and controls that the lesson does not have, kernel regions, lines of kernels at which nothing is
/// done, words behind a fence that are no block, terms without an entry in the glossary; of questions,
/// choices without a `why`, labels that only compare, and numbers in braces that nothing fills: "FILE:LINE:
/// step "Who adds?": set: …". Empty when all is well.
std::vector<std::string> mistakes_of(const Lesson& lesson, const Story& story);
/// Where the ids of steps, questions and exercises differ from those of the English story, in their order.
std::vector<std::string> mistakes_of_ids(const Story& story, const Story& english);

/// What only a run tells of a lesson: the facts of its result and the pictures that it draws, by id.
struct RunNames {
    std::set<std::string, std::less<>> facts;
    std::set<std::string, std::less<>> plots;
};
/// A sentence for every metric and plot of the story, its card's picture among them, that is neither among
/// these nor what every lesson has.
std::vector<std::string> unknown_names(const Story& story, const RunNames& known);

/// The experiments that a reader of the story runs: every step's and every prediction's. Settings that are
/// mistakes are left out.
std::vector<Experiment> experiments_of(const Lesson& lesson, const Story& story);

}  // namespace gridstride

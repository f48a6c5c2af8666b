// The feedback after a question is decided: numbers as text, and the causes that were measured.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lesson/report.h"
#include "story/blocks.h"

namespace gridstride {

/// Returns a number of the deciding runs, or nullopt if a run failed or lacks the metric.
std::optional<Estimate> measured(const Quotient& what, const std::vector<const Report*>& reports);

/// Returns true for a ratio of two times, which is expressed as a pace.
bool is_of_times(const Quotient& what);

/// Returns the sentences of the causes that hold, or the neutral sentence if none does. A cause holds if its
/// whole interval is beyond the bound.
std::string causes_in_words(const Saying& saying, const std::vector<const Report*>& reports);

std::string in_one_line(const std::vector<std::string>& sentences);

/// Replaces {value}, {change} and {pace} for choices and guesses, and {1}, {2}, … for items and marks.
std::string with_values(std::string text, const PredictBlock& predict, const std::vector<Estimate>& values);

/// Returns an error for each {name} that with_values() cannot replace for this question, or whose replacement
/// does not fit the words around it.
std::vector<std::string> mistakes_of_values(std::string_view text, const PredictBlock& predict);

}  // namespace gridstride

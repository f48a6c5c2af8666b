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
bool is_time_ratio(const Quotient& what);

/// Returns what a software device measured: "This software device took 1.1 times as long."
std::string describe_software_device(const PredictBlock& predict, const std::vector<Estimate>& values);

/// Returns the sentences of the causes that hold, or the neutral sentence if none does. A cause holds if its
/// whole interval is beyond the bound.
std::string describe_causes(const Feedback& feedback, const std::vector<const Report*>& reports);

std::string join_sentences(const std::vector<std::string>& sentences);

/// Replaces {value}, {change} and {pace} for choices and guesses, and {1}, {2}, … for items and marks.
std::string fill_placeholders(std::string text, const PredictBlock& predict,
                              const std::vector<Estimate>& values);

/// Returns an error for each {name} that fill_placeholders() cannot replace for this question, or whose
/// replacement does not fit the words around it.
std::vector<std::string> find_placeholder_errors(std::string_view text, const PredictBlock& predict);

}  // namespace gridstride

// What is said once a question is decided: numbers as words, and the causes that were measured.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lesson/report.h"
#include "story/blocks.h"

namespace gridstride {

/// A number of the deciding runs. nullopt: one of them failed, or does not say it.
std::optional<Estimate> measured(const Quotient& what, const std::vector<const Report*>& reports);

/// Quotients that are spoken as a pace.
bool is_of_times(const Quotient& what);

/// The sentences of the causes that hold, else the neutral one. A cause holds where all of its interval does.
std::string causes_in_words(const Saying& saying, const std::vector<const Report*>& reports);

/// Sentences behind one another; empty ones are left out.
std::string in_one_line(const std::vector<std::string>& sentences);

/// {value}, {change} and {pace} of the value of choices and guess, {1}, {2} … of items and marks.
std::string with_values(std::string text, const PredictBlock& predict, const std::vector<Estimate>& values);

/// A complaint for each {name} of the text that with_values() does not fill for this question, or fills with
/// what the words around it do not go with.
std::vector<std::string> mistakes_of_values(std::string_view text, const PredictBlock& predict);

}  // namespace gridstride

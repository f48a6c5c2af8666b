// Maps the keys of old progress files to ids. Before stories had ids, steps were stored by number, questions
// by text and exercises by name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gridstride {

// All functions use first_ids.json in data_directory(), which is read once and never changes. Steps and
// blocks are counted from 0.

/// Returns an empty string if the stories of that time had no such step.
std::string legacy_step_id(std::string_view lesson, std::size_t step);
/// Finds a question by its text, or by step and block if the text is empty. Returns an empty string if there
/// was no such question.
std::string legacy_question_id(std::string_view lesson, std::size_t step, std::size_t block,
                               std::string_view question);
/// Returns the id of an exercise, which is its name unless the table has another one.
std::string legacy_exercise_id(std::string_view lesson, std::string_view name);

}  // namespace gridstride

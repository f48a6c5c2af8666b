// The ids of steps, questions and exercises as they were when stories got ids: what a person did before that
// is kept by a step's number, a question's text and an exercise's name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gridstride {

// All look into first_ids.json of data_directory(), which is read once and never changes.

/// Steps and blocks are counted from 0. Empty: the stories of that time had no such step.
std::string first_step_id(std::string_view lesson, std::size_t step);
/// By its text; by its place where the text is empty. Empty: the stories of that time had no such question.
std::string first_question_id(std::string_view lesson, std::size_t step, std::size_t block,
                              std::string_view question);
/// Of an exercise by its name, which is its id unless the table has another one.
std::string first_exercise_id(std::string_view lesson, std::string_view name);

}  // namespace gridstride

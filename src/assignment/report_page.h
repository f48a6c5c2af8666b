// The page that a teacher gives back to a student.
#pragma once

#include <string>
#include <vector>

#include "assignment/grading.h"

namespace gridstride {

/// Returns an HTML page with the student's grades and texts. Everything is escaped, and the page loads
/// nothing. grades[i] is of assignment.exercises[i]; `answers` is the row of the questions.
std::string format_report_page(const Assignment& assignment, const HandIn& hand_in,
                               const std::vector<ExerciseGrade>& grades, const GradeRow& answers);

}  // namespace gridstride

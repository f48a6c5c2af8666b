// The page that a teacher gives back to a student.
#pragma once

#include <string>
#include <vector>

#include "assignment/grading.h"

namespace gridstride {

/// Returns an HTML page with the student's rows and texts. Everything is escaped, and the page loads nothing.
std::string format_report_page(const Assignment& assignment, const HandIn& hand_in,
                               const std::vector<GradeRow>& rows);

}  // namespace gridstride

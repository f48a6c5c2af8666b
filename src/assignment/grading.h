// Judges an exercise of a hand-in again, and the rows of the table of grades.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assignment/hand_in.h"
#include "client/client.h"
#include "jobs/run_job.h"
#include "story/story.h"

namespace gridstride {

/// The columns of the CSV; assets/manual/assignments.md describes them.
inline constexpr std::array<std::string_view, 22> grade_columns = {"assignment",
                                                                   "seed",
                                                                   "file",
                                                                   "hand_in",
                                                                   "name",
                                                                   "number",
                                                                   "lesson",
                                                                   "exercise",
                                                                   "status",
                                                                   "points",
                                                                   "max_points",
                                                                   "first_failure",
                                                                   "requirements",
                                                                   "undecided",
                                                                   "remark",
                                                                   "same_as",
                                                                   "solved_reported",
                                                                   "attempts_reported",
                                                                   "when_reported",
                                                                   "answers_reported",
                                                                   "question_count",
                                                                   "device"};
/// The value of each column; one that is missing is empty.
using GradeRow = std::map<std::string, std::string, std::less<>>;
std::string get_cell(const GradeRow& row, std::string_view column);

std::string format_grade_header();
/// Returns a record with its line end. A text that a spreadsheet would evaluate gets an apostrophe.
std::string format_grade_row(const GradeRow& row);
/// Returns an object with a key for each column.
nlohmann::ordered_json grade_row_json(const GradeRow& row);

struct GradedRequirement {
    MakeRequirement requirement;
    RequirementJudgement::Result result = RequirementJudgement::Result::undecided;
    std::string finding;  ///< without seeds; may be empty
};
/// The grade of one exercise of a hand-in.
struct ExerciseGrade {
    GradeRow row;
    // Only the student's page has these.
    std::string problem;  ///< why the answer was not judged to the end; may be empty
    std::vector<GradedRequirement> requirements;
    std::string picture;  ///< the SVG of draw_mismatch(); may be empty
};

/// Runs the answer like `gridstride make` and returns its grade, whose row has status, points, first failure,
/// requirements, undecided, remark and device. Neither seeds nor solutions are in it. The client's device
/// must be ready. After a run that timed out, no further run begins. Returns nullopt if it was interrupted.
std::optional<ExerciseGrade> grade_exercise(lab::Client& client, const Assignment& assignment,
                                            const AssignedExercise& exercise, const std::string& text,
                                            std::uint64_t seed, JobOptions options);

/// Returns the row of the answers to the questions. Grading does not decide them again.
GradeRow grade_answers(const Assignment& assignment, const HandIn& hand_in);

}  // namespace gridstride

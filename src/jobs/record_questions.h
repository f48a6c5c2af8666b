// Runs what decides the questions of a lesson, for answers that ship with the program.
#pragma once

#include <string>
#include <vector>

#include "jobs/run_job.h"
#include "learned/recorded.h"
#include "lesson/lesson.h"

namespace gridstride {

struct RecordedLesson {
    std::vector<Recording::Question> answers;
    std::vector<std::string> problems;  ///< a sentence for each question without an answer
    bool differs = false;               ///< a result differed from its reference
};

/// To the end, or until options.interrupted(); then without the question under way. Throws StoryError and
/// FileError for a story that cannot be read, and NoDevice.
RecordedLesson record_questions(lab::Client& client, const Lesson& lesson, const JobOptions& options);

}  // namespace gridstride

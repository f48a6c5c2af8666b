// Runs the questions of a story, to record the answers that ship with the program.
#pragma once

#include <string>
#include <vector>

#include "jobs/run_job.h"
#include "lesson/lesson.h"
#include "progress/device_answers.h"

namespace gridstride {

struct RecordedLessonAnswers {
    std::vector<DeviceAnswers::Question> answers;
    std::vector<std::string> problems;  ///< one sentence per question without an answer
    bool differs = false;               ///< a result differed from its reference
};

/// Runs every question of the story. If options.interrupted() returns true, returns the answers that were
/// recorded before. Throws StoryError and FileError if the story cannot be read, and NoDevice.
RecordedLessonAnswers record_questions(lab::Client& client, const CourseEntry& entry,
                                       const JobOptions& options);

}  // namespace gridstride

// Makes a Lesson from a folder of text.
#pragma once

#include <filesystem>
#include <memory>

#include "text_lesson/lesson_text.h"

namespace gridstride::text_lesson {

/// Reads the lesson in a folder: lesson.toml, kernels and expressions. Unless it ships, they are checked at
/// the default values. Throws ProgramError with every mistake, each with its file and line, and FileError.
std::shared_ptr<const Lesson> load_lesson(const std::filesystem::path& folder);

/// Makes the lesson of files that Lesson::files of a lesson had, without access to the folder.
std::shared_ptr<const Lesson> remake_lesson(const std::filesystem::path& folder, LessonFiles files);

/// Returns the lesson of a text that has a variant. If the text has mistakes, the lesson has its ids and
/// titles, but must not be prepared or run.
Lesson make_lesson(LessonText from);

}  // namespace gridstride::text_lesson

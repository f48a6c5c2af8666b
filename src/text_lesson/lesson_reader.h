// Reads the lesson.toml of a lesson that is a folder of text.
#pragma once

#include <filesystem>

#include "text_lesson/lesson_text.h"

namespace gridstride::text_lesson {

/// Reads lesson.toml in the folder. Throws ProgramError with every mistake in it, and FileError if the file
/// cannot be read or is larger than 64 KiB.
LessonText read_lesson_text(const std::filesystem::path& folder);

}  // namespace gridstride::text_lesson

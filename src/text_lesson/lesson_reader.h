// Reads the lesson.toml of a lesson that is a folder of text.
#pragma once

#include <filesystem>
#include <optional>

#include "text_lesson/lesson_text.h"

namespace gridstride::text_lesson {

/// Reads the texts of the lesson in a folder. Adds each file that cannot be read to the diagnostics. Throws
/// FileError if that is lesson.toml, and filesystem_error.
LessonFiles read_lesson_files(const std::filesystem::path& folder, Diagnostics& diagnostics);

/// Reads lesson.toml of these files, and data files of the folder that are not among them. Adds every mistake
/// to the diagnostics; what has a mistake is empty or has a default value then, and there is no version.
/// Returns nullopt after an error in the syntax of TOML.
std::optional<LessonText> read_lesson_text(const std::filesystem::path& folder, LessonFiles files,
                                           Diagnostics& diagnostics);

}  // namespace gridstride::text_lesson

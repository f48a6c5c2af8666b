// Reads the lesson.toml of a lesson that is a folder of text.
#pragma once

#include <filesystem>
#include <optional>

#include "text_lesson/lesson_text.h"

namespace gridstride::text_lesson {

/// Reads lesson.toml in the folder. Adds every mistake to the diagnostics; what has a mistake is empty or has
/// a default value then, and there is no version. Returns nullopt after an error in the syntax of TOML.
/// Throws FileError if the file cannot be read or is larger than 64 KiB.
std::optional<LessonText> read_lesson_text(const std::filesystem::path& folder, Diagnostics& diagnostics);

}  // namespace gridstride::text_lesson

// Makes a Lesson from a folder of text.
#pragma once

#include <filesystem>
#include <memory>

#include "lesson/lesson.h"

namespace gridstride::text_lesson {

/// Reads the lesson in a folder: lesson.toml, kernels and expressions. Unless it ships, they are checked at
/// the default values. Throws ProgramError with every mistake, each with its file and line, and FileError.
std::shared_ptr<const Lesson> load_lesson(const std::filesystem::path& folder);

}  // namespace gridstride::text_lesson

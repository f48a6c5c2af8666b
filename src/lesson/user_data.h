// A user's own file as a lesson's input.
#pragma once

#include <filesystem>

#include "lesson/lesson.h"

namespace gridstride {

/// Reads the file by its ending. Throws Refusal when the lesson takes no such files, naming those it does;
/// FileError when it cannot be read.
UserData read_user_data(const std::filesystem::path& path, const Lesson& lesson);

}  // namespace gridstride

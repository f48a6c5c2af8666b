// A user's own file as a lesson's input.
#pragma once

#include <filesystem>

#include "base/file_progress.h"
#include "lesson/lesson.h"

namespace gridstride {

/// Reads the file by its ending. Throws Refusal when the lesson takes no such files, naming those it does;
/// FileError when it cannot be read; Cancelled.
///
/// What the numbers may be is the lesson's to say (Lesson::input_from_user), whatever kind of file they come
/// from: every reader takes NaN and infinity where its format has them, and the text of a .csv has nan and
/// inf. Samples of sound are 16 bits wide and have none: a .wav of floats that holds one is refused.
UserData read_user_data(const std::filesystem::path& path, const Lesson& lesson,
                        FileProgress* progress = nullptr);

}  // namespace gridstride

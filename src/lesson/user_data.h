// A user's own files as a lesson's input, and those that a program names.
#pragma once

#include <filesystem>
#include <string>

#include "base/file_progress.h"
#include "lesson/lesson.h"
#include "readers/file_choice.h"

namespace gridstride {

/// Reads the file by its ending. Throws Refusal when the lesson takes no such files, naming those it does, or
/// where such files leave nothing of the kind to choose; NeedsChoice; FileError when it cannot be read;
/// Cancelled.
///
/// What the numbers may be is the lesson's to say (Lesson::input_from_user), whatever kind of file they come
/// from: every reader takes NaN and infinity where its format has them, and the text of a .csv has nan and
/// inf. Sound has none: a .wav of floats that holds one is refused.
UserData read_user_data(const std::filesystem::path& path, const Lesson& lesson,
                        const FileChoice& choice = {}, FileProgress* progress = nullptr);

/// What names that lead to one file in the folder have in common, by their words alone: "a.npy" of "./a.npy".
/// Throws FileError for those that lead out of it. Nothing is looked at, so no disk is waited for.
std::string name_within(const std::string& folder, const std::string& file);

/// Where the file that a program in this folder names is, or can be written; links are followed. Throws
/// FileError, whatever the name holds, where that is not in the folder or is no regular file, and where there
/// is no folder, as of a text that was never saved.
std::filesystem::path path_within(const std::string& folder, const std::string& file);

/// All numbers that the file holds, by its ending: .npy, .csv, .txt (all columns), .wav or .png; without a
/// checksum. Nothing can be chosen: what can be read in several ways is refused. Throws FileError.
UserData read_within(const std::string& folder, const std::string& file);

}  // namespace gridstride

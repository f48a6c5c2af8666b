// Reads files as the input of a lesson, and files that a program names.
#pragma once

#include <filesystem>
#include <string>

#include "base/file_progress.h"
#include "lesson/lesson.h"
#include "readers/file_choice.h"

namespace gridstride {

/// Reads a file according to its extension. Throws Refusal if the lesson does not accept this kind of file,
/// or if a member of `choice` does not apply to it; NeedsChoice; FileError if the file cannot be read;
/// Cancelled.
///
/// The lesson decides which numbers are valid (Lesson::input_from_user). Readers accept NaN and infinity
/// if the format has them; in a .csv they are nan and inf. A .wav of floats with NaN or infinity is refused.
UserData read_user_data(const std::filesystem::path& path, const Lesson& lesson,
                        const FileChoice& choice = {}, FileProgress* progress = nullptr);

/// Normalizes the name of a file in this folder: "./a.npy" becomes "a.npy". Throws FileError for a name that
/// leads out of the folder. Does not access the file system, so it does not block.
std::string normalize_name_in_folder(const std::string& folder, const std::string& file);

/// Returns the path of a file that a program in this folder reads or writes. Follows links. Throws FileError
/// if the path is outside the folder or not a regular file, or if `folder` is empty, as for a text that was
/// never saved.
std::filesystem::path resolve_path_in_folder(const std::string& folder, const std::string& file);

/// Reads all numbers of a file according to its extension: .npy, .csv, .txt (all columns), .wav or .png. The
/// checksum is empty. Throws FileError, also if the file can be read in several ways.
UserData read_file_in_folder(const std::string& folder, const std::string& file);

}  // namespace gridstride

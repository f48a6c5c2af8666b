// Packs a teacher's folder for students, without its secrets.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace gridstride {

/// Returns the files of a lesson's folder, or of a folder with lessons and an assignment.toml: what
/// lesson.toml and the stories name, without solutions, withheld expectations and what only those use, and
/// without comments of lesson.toml. Names begin with the lesson's id. Throws FileError, and Refusal with
/// "FILE:LINE: ERROR" for each mistake.
std::map<std::string, std::string> pack_for_students(const std::filesystem::path& folder);

}  // namespace gridstride

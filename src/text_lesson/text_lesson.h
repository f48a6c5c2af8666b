// Makes a Lesson from a folder of text.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lesson/lesson.h"

namespace gridstride::text_lesson {

/// Reads the lesson in a folder: lesson.toml, kernels and expressions, which are checked at the default
/// values. Throws ProgramError with every mistake, each with its file and line, and FileError.
std::shared_ptr<const Lesson> load_lesson(const std::filesystem::path& folder);

/// Returns the folders with a lesson.toml: the folder itself, or those in it, sorted by name. Throws
/// FileError if there is none.
std::vector<std::filesystem::path> find_lesson_folders(const std::filesystem::path& folder);

/// Loads and registers every lesson of the folders, and sets the environment so that the lab, a child
/// process, loads them too. Throws ProgramError, FileError, and Refusal if two lessons have one id.
/// Returns the lessons' ids.
std::vector<std::string> register_lessons(const std::vector<std::string>& folders);
/// Registers the lessons that the environment names: see register_lessons().
void register_inherited_lessons();
/// Returns the folders of the registered lessons, absolute.
std::vector<std::string> registered_folders();
/// Registers the newest version of the lesson in a registered folder. Returns "FILE:LINE: ERROR" for each
/// mistake; then nothing is registered.
std::vector<std::string> reload_lesson(const std::string& folder);
/// Does the same for the lesson with this id, if its folder is registered, and ignores mistakes.
void reload_lesson_by_id(const std::string& id);

}  // namespace gridstride::text_lesson

// Folders that hold lessons of text, and the lessons that are registered from them.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "lesson/lesson.h"

namespace gridstride::text_lesson {

/// A path names no folder.
struct NotAFolder : FileError {
    using FileError::FileError;
};

using Lessons = std::vector<std::shared_ptr<const Lesson>>;

/// Returns the folder that the user means by a path: for a lesson.toml, its folder. Absolute, without a slash
/// at the end. Does not access the disk.
std::filesystem::path lesson_folder_of(const std::filesystem::path& path);

/// Returns the folders with a lesson.toml: the folder itself, or those in it, sorted by name. Reads no file.
/// Throws NotAFolder, and FileError if the folder cannot be read or there is none in it.
std::vector<std::filesystem::path> find_lesson_folders(const std::filesystem::path& path);

/// Loads every lesson of a folder; nothing is registered. Throws FileError, and Refusal with
/// "FILE:LINE: ERROR" for each mistake in all of them.
Lessons load_lessons(const std::filesystem::path& folder);

/// The ids of the facts and pictures that a lesson declares.
struct DeclaredNames {
    std::set<std::string, std::less<>> facts, pictures;
};
/// Throws what read_lesson_text() throws.
DeclaredNames list_declared_names(const std::filesystem::path& folder);

/// Returns true if a folder of this name can be a lesson.
bool is_lesson_id(std::string_view name);

/// Loads the lessons that ship, in data_directory(). One that cannot be read is logged and left out, so that
/// the others are still there.
Lessons load_shipped_lessons();

/// Registers the lessons. Throws Refusal if a lesson of another folder has the same id; nothing has changed
/// then.
void register_lessons(const Lessons& lessons);

/// Returns the folders of the registered lessons, absolute.
std::vector<std::string> registered_folders();
/// Registers the newest version of the lesson in a folder. Returns "FILE:LINE: ERROR" for each mistake; then
/// nothing is registered.
std::vector<std::string> reload_lesson(const std::string& folder);

}  // namespace gridstride::text_lesson

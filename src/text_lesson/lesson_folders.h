// Folders that hold lessons of text, and the lessons that are registered from them.
#pragma once

#include <filesystem>
#include <memory>
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

/// The content of a folder with a lesson.toml: a lesson, or errors.
struct FolderLesson {
    std::string folder;                    ///< absolute; its name is the lesson's id
    std::shared_ptr<const Lesson> lesson;  ///< null if there are errors
    std::vector<std::string> errors = {};  ///< "FILE:LINE: ERROR", or sentences

    std::string id() const { return std::filesystem::path(folder).filename().string(); }
};

/// Returns the folder that the user means by a path: for a lesson.toml, its folder. Absolute, without a slash
/// at the end. Does not access the disk.
std::filesystem::path lesson_folder_of(const std::filesystem::path& path);

/// Returns the folders with a lesson.toml: the folder itself, or those in it, sorted by name. Reads no file.
/// Throws NotAFolder, and FileError if the folder cannot be read or there is none in it.
std::vector<std::filesystem::path> find_lesson_folders(const std::filesystem::path& path);

/// Loads every lesson of a folder; nothing is registered. Throws what find_lesson_folders() throws.
std::vector<FolderLesson> load_lessons(const std::filesystem::path& folder);

/// Returns true if a folder of this name can be a lesson.
bool is_lesson_id(std::string_view name);

/// Loads the lessons that ship, in data_directory(). One that cannot be read is logged and left out.
std::vector<std::shared_ptr<const Lesson>> load_shipped_lessons();

/// Registers the lessons without errors. If two folders have lessons of the same id, neither is registered
/// any more, and both have an error. Returns all errors.
std::vector<std::string> register_lessons(const std::vector<FolderLesson>& lessons);
/// Returns true if a version of the folder's lesson is registered.
bool is_loaded(const FolderLesson& lesson);
/// Returns the folders given to register_lessons() whose newest files have errors. An earlier version of the
/// lesson may be registered.
std::shared_ptr<const std::vector<FolderLesson>> faulty_lessons();
/// Returns the folders given to register_lessons().
std::vector<std::string> registered_folders();

/// Registers the newest version of the lesson in a folder, if check_folder() finds no errors. Returns those.
std::vector<std::string> reload_lesson(const std::string& folder);

}  // namespace gridstride::text_lesson

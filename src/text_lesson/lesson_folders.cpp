#include "text_lesson/lesson_folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <system_error>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "text_lesson/folder_checker.h"
#include "text_lesson/text_lesson.h"
#include "text_lesson/toml_names.h"

namespace gridstride::text_lesson {

namespace {

namespace fs = std::filesystem;

std::string describe_unreadable(const fs::path& folder, const std::error_code& error) {
    return fmt::format("The folder {} cannot be read: {}.", quote_path(folder), error.message());
}

/// Calls load_lesson().
FolderLesson load_checked(const fs::path& folder) {
    FolderLesson loaded{.folder = folder.string(), .lesson = nullptr};
    try {
        loaded.lesson = load_lesson(folder);
    } catch (const ProgramError& error) {
        loaded.errors = format_mistakes(folder, error.diagnostics);
    } catch (const fs::filesystem_error& error) {
        loaded.errors = {describe_unreadable(error.path1(), error.code())};
    } catch (const std::runtime_error& error) {
        loaded.errors = {error.what()};
    }
    return loaded;
}

/// The folders given to register_lessons(), and the errors in their newest files.
class KnownFolders {
 public:
    /// Returns the errors.
    std::vector<std::string> add(const FolderLesson& added) {
        const std::scoped_lock lock(mutex_);
        std::vector<std::string> errors = add_locked(added);
        std::vector<FolderLesson> faulty;
        for (const auto& [folder, found] : errors_)
            if (!found.empty()) faulty.push_back({folder, nullptr, found});
        faulty_ = std::make_shared<const std::vector<FolderLesson>>(std::move(faulty));
        return errors;
    }

    std::shared_ptr<const std::vector<FolderLesson>> faulty() const {
        const std::scoped_lock lock(mutex_);
        return faulty_;
    }
    std::vector<std::string> folders() const {
        const std::scoped_lock lock(mutex_);
        std::vector<std::string> all;
        for (const auto& [folder, errors] : errors_)
            all.push_back(folder);
        return all;
    }

 private:
    std::vector<std::string> add_locked(const FolderLesson& added) {
        const std::string id = added.id();
        const Lesson* const known = find_lesson(id);
        std::vector<std::string>& errors = errors_[added.folder];
        errors = added.errors;
        const auto other = std::ranges::find_if(errors_, [&](const auto& one) {
            std::error_code unreadable;
            return one.first != added.folder && fs::path(one.first).filename() == id &&
                   fs::exists(fs::path(one.first) / lesson_file, unreadable);
        });
        if (known && known->folder.empty() && added.lesson && added.lesson->folder.empty())
            return {};  // it ships, and is registered
        if (known && known->folder.empty()) {
            errors.push_back(fmt::format("There is a lesson {} already, {}. Rename the folder {}.", id,
                                         quote_text(known->title), quote_path(added.folder)));
        } else if (other != errors_.end()) {
            const auto& [first, second] = std::minmax(other->first, added.folder);
            errors.push_back(
                fmt::format("Two folders have the lesson {}: {} and {}. Rename one of the folders.", id,
                            quote_path(first), quote_path(second)));
            if (!std::ranges::count(other->second, errors.back())) other->second.push_back(errors.back());
            withdraw_lesson(id);
        } else if (added.lesson && (!known || known->version != added.lesson->version)) {
            register_lesson(added.lesson);
        }
        return errors;
    }

    mutable std::mutex mutex_;
    std::map<std::string, std::vector<std::string>> errors_;  ///< by folder
    std::shared_ptr<const std::vector<FolderLesson>> faulty_ =
        std::make_shared<const std::vector<FolderLesson>>();
};

KnownFolders& known_folders() {
    static KnownFolders folders;
    return folders;
}

}  // namespace

fs::path lesson_folder_of(const fs::path& path) {
    std::error_code ignored;
    const fs::path whole = fs::absolute(path, ignored).lexically_normal();
    return whole.filename() == lesson_file || !whole.has_filename() ? whole.parent_path() : whole;
}

std::vector<fs::path> find_lesson_folders(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status))
        throw NotAFolder(fmt::format("There is no folder {}. Check its name.", quote_path(path)));
    if (!fs::is_directory(status))
        throw NotAFolder(
            fmt::format("{} is not a folder. Give a folder with a lesson, or of lessons.", quote_path(path)));
    // "." has no name, and the folder's name is the lesson's id.
    const fs::path folder = lesson_folder_of(path);
    if (fs::exists(folder / lesson_file, error)) return {folder};
    std::vector<fs::path> found;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code unreadable;
        if (fs::exists(entry->path() / lesson_file, unreadable)) found.push_back(entry->path());
    }
    if (error) throw FileError(describe_unreadable(folder, error));
    if (found.empty())
        throw FileError(
            fmt::format("{} has no lesson: neither it nor a folder in it has a lesson.toml. \"gridstride "
                        "lesson new FOLDER\" makes one.",
                        quote_path(folder)));
    std::ranges::sort(found);
    return found;
}

std::vector<FolderLesson> load_lessons(const fs::path& folder) {
    std::vector<FolderLesson> lessons;
    for (const fs::path& one : find_lesson_folders(folder))
        lessons.push_back(load_checked(one));
    return lessons;
}

bool is_lesson_id(std::string_view name) {
    return is_id(name);
}

std::vector<std::shared_ptr<const Lesson>> load_shipped_lessons() {
    std::vector<std::shared_ptr<const Lesson>> lessons;
    std::error_code error;
    for (fs::directory_iterator entry(data_directory() / "lessons", error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code unreadable;
        if (!fs::exists(entry->path() / lesson_file, unreadable)) continue;
        const FolderLesson loaded = load_checked(entry->path());
        if (loaded.lesson)
            lessons.push_back(loaded.lesson);
        else
            log_error(fmt::format("The lesson in {} is left out: {}", quote_path(entry->path()),
                                  join(loaded.errors, "\n")));
    }
    return lessons;
}

std::vector<std::string> register_lessons(const std::vector<FolderLesson>& lessons) {
    std::vector<std::string> errors;
    for (const FolderLesson& lesson : lessons)
        std::ranges::move(known_folders().add(lesson), std::back_inserter(errors));
    return errors;
}

bool is_loaded(const FolderLesson& lesson) {
    const Lesson* const known = find_lesson(lesson.id());
    return known && known->folder == lesson.folder;
}

std::shared_ptr<const std::vector<FolderLesson>> faulty_lessons() {
    return known_folders().faulty();
}

std::vector<std::string> registered_folders() {
    return known_folders().folders();
}

std::vector<std::string> reload_lesson(const std::string& folder) {
    const CheckedFolder checked = check_folder(folder);
    return register_lessons({{folder, checked.lesson, checked.errors}});
}

}  // namespace gridstride::text_lesson

#include "text_lesson/lesson_folders.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <system_error>

#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "text_lesson/lesson_reader.h"
#include "text_lesson/text_lesson.h"
#include "text_lesson/toml_names.h"

namespace gridstride::text_lesson {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_unreadable(const fs::path& folder, const std::error_code& error) {
    throw FileError(fmt::format("The folder {} cannot be read: {}.", quote_path(folder), error.message()));
}

/// Calls load_lesson(). Throws Refusal with a line FILE:LINE: ERROR for each mistake.
std::shared_ptr<const Lesson> load_checked(const fs::path& folder) {
    try {
        return load_lesson(folder);
    } catch (const ProgramError& error) {
        std::vector<std::string> lines;
        for (const Diagnostic& one : error.diagnostics)
            lines.push_back(
                fmt::format("{}:{}: {}", printable((folder / one.file).string()), one.line, one.text));
        throw Refusal(std::move(lines));
    } catch (const fs::filesystem_error& error) {
        throw_unreadable(error.path1(), error.code());
    }
}

/// Throws Refusal if another lesson has the id.
void require_free_id(const Lesson& lesson) {
    const Lesson* const known = find_lesson(lesson.id);
    if (!known || known->folder == lesson.folder) return;
    if (known->folder.empty())
        throw Refusal("There is a lesson {} already, {}. Rename the folder {}.", lesson.id,
                      quote_text(known->title), quote_path(lesson.folder));
    throw Refusal("Two folders have the lesson {}: {} and {}. Rename one of the folders.", lesson.id,
                  quote_path(known->folder), quote_path(lesson.folder));
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
    if (!fs::exists(status)) throw NotAFolder(fmt::format("There is no folder {}.", quote_path(path)));
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
    if (error) throw_unreadable(folder, error);
    if (found.empty())
        throw FileError(
            fmt::format("{} has no lesson: neither it nor a folder in it has a lesson.toml. \"gridstride "
                        "lesson new FOLDER\" makes one.",
                        quote_path(folder)));
    std::ranges::sort(found);
    return found;
}

Lessons load_lessons(const fs::path& folder) {
    Lessons lessons;
    std::vector<std::string> mistakes;
    for (const fs::path& one : find_lesson_folders(folder))
        try {
            lessons.push_back(load_checked(one));
        } catch (const Refusal& refused) {
            std::ranges::copy(refused.reasons, std::back_inserter(mistakes));
        }
    if (!mistakes.empty()) throw Refusal(std::move(mistakes));
    return lessons;
}

DeclaredNames list_declared_names(const fs::path& folder) {
    const LessonText text = read_lesson_text(folder);
    DeclaredNames names;
    for (const FactText& fact : text.facts)
        names.facts.insert(fact.id);
    for (const PictureText& picture : text.pictures)
        names.pictures.insert(picture.id);
    return names;
}

bool is_lesson_id(std::string_view name) {
    return is_id(name);
}

Lessons load_shipped_lessons() {
    Lessons lessons;
    std::error_code error;
    for (fs::directory_iterator entry(data_directory() / "lessons", error), end; !error && entry != end;
         entry.increment(error))
        try {
            if (fs::exists(entry->path() / lesson_file)) lessons.push_back(load_checked(entry->path()));
        } catch (const std::exception& fault) {
            log_error(
                fmt::format("The lesson in {} is left out: {}", quote_path(entry->path()), fault.what()));
        }
    return lessons;
}

void register_lessons(const Lessons& lessons) {
    for (const std::shared_ptr<const Lesson>& lesson : lessons)
        require_free_id(*lesson);
    for (const std::shared_ptr<const Lesson>& lesson : lessons)
        if (!lesson->folder.empty()) register_lesson(lesson);  // the others ship, and are registered
}

std::vector<std::string> registered_folders() {
    std::vector<std::string> folders;
    for (const Lesson* const lesson : all_lessons())
        if (!lesson->folder.empty()) folders.push_back(lesson->folder);
    return folders;
}

std::vector<std::string> reload_lesson(const std::string& folder) {
    try {
        const std::shared_ptr<const Lesson> lesson = load_checked(folder);
        const Lesson* const known = find_lesson(lesson->id);
        if (!known || known->version != lesson->version) register_lesson(lesson);
        return {};
    } catch (const Refusal& refused) {
        return refused.reasons;
    } catch (const std::exception& error) {
        return {error.what()};
    }
}

}  // namespace gridstride::text_lesson

#include "text_lesson/folder_loader.h"

#include <filesystem>
#include <utility>

#include "text_lesson/lesson_folders.h"

namespace gridstride::text_lesson {

FolderLoader::FolderLoader(std::string folder, const std::function<void()>& wake)
    : folder_(std::move(folder)) {
    work_.wake = wake;
}

void FolderLoader::start(State state, FileWorker::Task work) {
    state_ = state;
    errors_.clear();
    work_.start(std::move(work));
}

void FolderLoader::find() {
    start(State::finding, [this, folder = folder_](FileProgress&) -> FileWorker::Completion {
        try {
            std::vector<std::string> ids;
            for (const std::filesystem::path& one : find_lesson_folders(folder))
                ids.push_back(one.filename().string());
            return [this, ids = std::move(ids)] {
                lesson_ids_ = ids;
                state_ = State::found;
            };
        } catch (const NotAFolder& error) {
            return [this, what = std::string(error.what())] { fail({what}, State::not_a_folder); };
        }
    });
}

void FolderLoader::load() {
    start(State::loading, [this, folder = folder_](FileProgress&) -> FileWorker::Completion {
        return [this, lessons = load_lessons(folder)] {
            errors_ = register_lessons(lessons);
            std::vector<std::string> loaded;
            for (const FolderLesson& one : lessons)
                if (is_loaded(one)) loaded.push_back(one.id());
            state_ = loaded.empty() ? State::failed : State::loaded;
            if (!loaded.empty()) lesson_ids_ = std::move(loaded);
        };
    });
}

bool FolderLoader::pump() {
    const auto problem = work_.take();
    if (!problem) return false;
    if (!problem->empty()) fail({*problem});
    return true;
}

void FolderLoader::fail(std::vector<std::string> errors, State state) {
    state_ = state;
    errors_ = std::move(errors);
}

}  // namespace gridstride::text_lesson

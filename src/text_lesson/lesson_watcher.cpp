#include "text_lesson/lesson_watcher.h"

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "base/file_worker.h"
#include "text_lesson/lesson_folders.h"

namespace gridstride::text_lesson {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds poll_interval{200};

using FileStates = std::map<std::string, std::pair<fs::file_time_type, std::uintmax_t>>;

/// Returns time and size of each file; a file that cannot be read is left out.
FileStates read_states(const fs::path& folder) {
    FileStates states;
    std::error_code error;
    for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        std::error_code unreadable;
        const auto time = at->last_write_time(unreadable);
        const auto size = at->is_regular_file(unreadable) ? at->file_size(unreadable) : 0;
        if (!unreadable) states.emplace(at->path().string(), std::pair(time, size));
    }
    return states;
}

}  // namespace

struct LessonWatcher::State {
    std::mutex mutex;  ///< guards the members below
    std::condition_variable stopping;
    bool stops = false;
    std::function<void()> wake;
    std::vector<LessonChange> changes;

    /// Runs until `stops`.
    void watch();
};

void LessonWatcher::State::watch() {
    std::map<std::string, FileStates> known;
    for (const std::string& folder : registered_folders())
        known[folder] = read_states(folder);
    std::unique_lock lock(mutex);
    while (!stopping.wait_for(lock, poll_interval, [this] { return stops; })) {
        lock.unlock();
        std::vector<LessonChange> found;
        std::set<std::string> changed;
        for (const std::string& folder : registered_folders()) {
            FileStates now = read_states(folder);
            const auto [before, is_new] = known.try_emplace(folder, now);
            if (is_new || now == before->second) continue;
            before->second = std::move(now);
            changed.insert(folder);
            found.push_back({fs::path(folder).filename().string(), !reload_lesson(folder).empty()});
        }
        // One with the same id may be gone.
        if (!found.empty())
            for (const std::shared_ptr all = faulty_lessons(); const FolderLesson& faulty : *all)
                if (!changed.contains(faulty.folder) && reload_lesson(faulty.folder).empty())
                    found.push_back({faulty.id()});
        lock.lock();
        if (found.empty() || stops) continue;
        changes.insert(changes.end(), found.begin(), found.end());
        wake();
    }
}

LessonWatcher::LessonWatcher(std::function<void()> wake) : state_(std::make_shared<State>()) {
    state_->wake = std::move(wake);
    start();
}

LessonWatcher::~LessonWatcher() {
    const std::scoped_lock lock(state_->mutex);
    state_->stops = true;
    state_->stopping.notify_all();
}

void LessonWatcher::start() {
    if (has_thread_ || registered_folders().empty()) return;
    start_file_thread([state = state_] { state->watch(); });
    has_thread_ = true;
}

std::vector<LessonChange> LessonWatcher::take() {
    const std::scoped_lock lock(state_->mutex);
    return std::exchange(state_->changes, {});
}

}  // namespace gridstride::text_lesson

#include "text_lesson/lesson_watcher.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

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

LessonWatcher::LessonWatcher(std::function<void()> wake) : wake_(std::move(wake)) {
    start();
}

void LessonWatcher::start() {
    if (!thread_.joinable() && !registered_folders().empty()) thread_ = std::thread([this] { watch(); });
}

LessonWatcher::~LessonWatcher() {
    {
        const std::scoped_lock lock(mutex_);
        stops_ = true;
    }
    stopping_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void LessonWatcher::watch() {
    std::map<std::string, FileStates> known;
    for (const std::string& folder : registered_folders())
        known[folder] = read_states(folder);
    std::unique_lock lock(mutex_);
    while (!stopping_.wait_for(lock, poll_interval, [this] { return stops_; })) {
        lock.unlock();
        std::vector<LessonChange> found;
        for (const std::string& folder : registered_folders()) {
            FileStates now = read_states(folder);
            const auto [before, is_new] = known.try_emplace(folder, now);
            if (is_new || now == before->second) continue;
            before->second = std::move(now);
            found.push_back({fs::path(folder).filename().string(), reload_lesson(folder)});
        }
        lock.lock();
        if (found.empty()) continue;
        changes_.insert(changes_.end(), found.begin(), found.end());
        wake_();
    }
}

std::vector<LessonChange> LessonWatcher::take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(changes_, {});
}

}  // namespace gridstride::text_lesson

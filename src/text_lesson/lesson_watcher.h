// Loads lessons that are folders of text again when their files change.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace gridstride::text_lesson {

/// What a changed folder led to.
struct LessonChange {
    std::string id;
    /// "FILE:LINE: ERROR" for each mistake; then the registered version stays the newest. Empty: the registry
    /// has the newest version, and the story may have changed too.
    std::vector<std::string> errors;
};

/// Checks the files of the registered folders several times a second, on a thread of its own. Without folders
/// there is no thread.
class LessonWatcher {
 public:
    /// Calls `wake` on its thread when there is a change to take.
    explicit LessonWatcher(std::function<void()> wake);
    ~LessonWatcher();
    LessonWatcher(const LessonWatcher&) = delete;
    LessonWatcher& operator=(const LessonWatcher&) = delete;

    /// Starts the thread if there are folders. It also finds those that are registered later.
    void start();
    /// Returns the changes since the last call, oldest first.
    std::vector<LessonChange> take();

 private:
    void watch();

    std::function<void()> wake_;
    std::mutex mutex_;
    std::condition_variable stopping_;
    bool stops_ = false;
    std::vector<LessonChange> changes_;
    std::thread thread_;  // declared last, because it uses the other members
};

}  // namespace gridstride::text_lesson

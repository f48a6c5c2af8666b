// Loads lessons that are folders of text again when their files change.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gridstride::text_lesson {

/// The result of loading a changed folder.
struct LessonChange {
    std::string id;
    /// If true, faulty_lessons() has them, and the registered version stays. If false, the registry has the
    /// newest version, and the story may have changed too.
    bool has_errors = false;
};

/// Checks the files of the registered folders several times a second, on a thread of its own. Without folders
/// there is no thread.
class LessonWatcher {
 public:
    /// Calls `wake` on its thread when there is a change to take.
    explicit LessonWatcher(std::function<void()> wake);
    /// Returns at once, even if the thread waits for a disk that does not respond.
    ~LessonWatcher();
    LessonWatcher(const LessonWatcher&) = delete;
    LessonWatcher& operator=(const LessonWatcher&) = delete;

    /// Starts the thread if there are folders. It also finds those that are registered later.
    void start();
    /// Returns the changes since the last call, oldest first.
    std::vector<LessonChange> take();

 private:
    struct State;

    std::shared_ptr<State> state_;  ///< shared with the thread, which may outlive the watcher
    bool has_thread_ = false;
};

}  // namespace gridstride::text_lesson

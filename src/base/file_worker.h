// File work off the window's thread: a large file takes seconds, and a lost mount may never respond.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/file_progress.h"

namespace gridstride {

/// Runs one task at a time on its own thread. The task returns a function that take() calls, so that only the
/// thread that calls take() accesses the window's data.
class FileWorker {
 public:
    using Completion = std::function<void()>;
    /// Its captures may be destroyed on either thread, also after the owner of the FileWorker.
    using Task = std::function<Completion(FileProgress&)>;

    FileWorker() = default;
    ~FileWorker() { cancel(); }
    FileWorker(const FileWorker&) = delete;
    FileWorker& operator=(const FileWorker&) = delete;

    /// Called on the worker thread when the task has ended, but never after cancel(). Set it before start().
    std::function<void()> wake;

    /// Cancels the current task, if any, and starts this one.
    void start(Task work);
    /// True until take() has handled the result.
    bool is_busy() const { return state_ != nullptr; }
    const FileProgress* progress() const;  ///< null if not busy
    /// Cancels the task and discards its result. Returns at once, even if the thread is blocked.
    void cancel();
    /// Calls the function that the task returned. Returns nullopt if the task has not ended, an error message
    /// if it failed, else an empty string.
    std::optional<std::string> take();

 private:
    struct State;
    std::shared_ptr<State> state_;
};

/// Runs `work` on a detached thread, which also destroys its captures. Throws std::system_error.
void start_file_thread(std::function<void()> work);

/// Waits for all threads of start_file_thread() and FileWorker. If it returns false, end the program with
/// std::_Exit: the remaining threads would otherwise use destroyed static objects.
bool wait_for_file_threads(std::chrono::milliseconds timeout);

}  // namespace gridstride

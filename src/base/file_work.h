// Work with files beside the window's thread: a large file takes seconds, and a mount that is gone may never
// answer.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/file_progress.h"

namespace gridstride {

/// One piece of work at a time, on a thread of its own. What belongs to the window is touched by whoever
/// calls take() alone: the work leaves there what is to be done with its result.
class FileWork {
 public:
    using Then = std::function<void()>;
    /// What it captures may be destroyed on either thread, and after whoever started it.
    using Work = std::function<Then(FileProgress&)>;

    FileWork() = default;
    ~FileWork() { give_up(); }
    FileWork(const FileWork&) = delete;
    FileWork& operator=(const FileWork&) = delete;

    /// Called on the work's thread when it has ended, never after give_up(). Set before start().
    std::function<void()> wake;

    /// In place of what was being done.
    void start(Work work);
    /// Until take() has had its result.
    bool busy() const { return state_ != nullptr; }
    const FileProgress* progress() const;  ///< null: not busy
    /// Returns at once, whatever the thread waits for; its result is thrown away.
    void give_up();
    /// Does what the work has left to do. nullopt: it has not ended; a sentence: it went wrong.
    std::optional<std::string> take();

 private:
    struct State;
    std::shared_ptr<State> state_;
};

/// A thread of its own for work with files; what `work` captures is destroyed there. Throws
/// std::system_error.
void start_file_thread(std::function<void()> work);

/// Whether all these threads, those of all FileWork among them, end within this time. Where one does not, the
/// program must end by std::_Exit: it would see what is static taken apart under it.
bool file_work_ends_within(std::chrono::milliseconds patience);

}  // namespace gridstride

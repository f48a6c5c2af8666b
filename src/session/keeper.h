// Writes what a window keeps of its session, on a thread of its own: a disk that is full or gone holds up
// nobody.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "session/session_files.h"

namespace gridstride {

/// What cannot be written now waits in memory and is tried again, in order.
class Keeper {
 public:
    /// on_change is called on the thread when there is news or earlier work to take.
    Keeper(std::filesystem::path folder, std::function<void()> on_change);
    /// Writes what waits, for some seconds at most; a session without anything in it leaves no files.
    ~Keeper();
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    /// The session's JSON, in place of the one before. `worthwhile`: there is a kernel or a run to keep.
    void keep(std::string json, bool worthwhile);
    /// Adds a record to the journal.
    void add(std::string record);
    /// Kernels as a session of its own.
    void keep_apart(std::map<KernelKey, KernelEdit> kernels);
    /// Once all that was given before is on the disk.
    void remove(SessionFiles files);
    /// Looks for earlier work, once all that was given before is on the disk.
    void look();

    std::optional<EarlierWork> take_earlier();
    struct News {
        std::string sentence;
        bool is_bad = false;
    };
    /// When keeping begins to fail, and when it works again.
    std::optional<News> take_news();

 private:
    struct State;
    static void write(State& state);
    std::shared_ptr<State> state_;
};

}  // namespace gridstride

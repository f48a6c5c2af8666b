// Writes what a window keeps, on a thread of its own: a disk that is slow, full or gone holds up nobody.
#pragma once

#include <chrono>
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
    Keeper(std::filesystem::path folder, std::function<void()> on_change,
           std::chrono::milliseconds patience_at_end = std::chrono::seconds(5));
    /// Writes what waits; where the disk takes longer than that patience, without waiting for it. A session
    /// without anything in it leaves no files.
    ~Keeper();
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

    /// Bench and kernels, in place of those before. `worthwhile`: there is a kernel or a run to keep.
    void keep(Work work, bool worthwhile);
    void add_run(std::shared_ptr<const Report> run);
    void add_cell(std::shared_ptr<const Report> cell);  ///< of a sweep
    /// What else the window keeps: called on the thread, in place of the one given before, and again as long
    /// as it throws.
    void write_also(std::function<void()> write);
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
    template <class Change>
    void give(Change change);
    static void write(State& state);
    std::shared_ptr<State> state_;
    std::chrono::milliseconds patience_at_end_;
};

}  // namespace gridstride

// The autosave thread: it writes the session's files, so that a slow, full or missing disk does not block the
// window.
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

/// Queues write requests. Requests that fail stay in memory, and the thread retries them in order.
class AutosaveWriter {
 public:
    /// Calls on_change on the thread when take_message() or take_earlier_session() has a new result.
    AutosaveWriter(std::filesystem::path folder, std::function<void()> on_change,
                   std::chrono::milliseconds shutdown_timeout = std::chrono::seconds(5));
    /// Writes the pending requests, and waits for at most shutdown_timeout. Deletes the files of a session
    /// without kernels or runs.
    ~AutosaveWriter();
    AutosaveWriter(const AutosaveWriter&) = delete;
    AutosaveWriter& operator=(const AutosaveWriter&) = delete;

    /// Saves bench and kernels and replaces those saved before. `has_content` is true if there is a kernel or
    /// a run to save.
    void save(SavedSession session, bool has_content);
    void add_run(std::shared_ptr<const Report> run);
    void add_cell(std::shared_ptr<const Report> cell);  ///< one cell of a sweep
    /// Calls `write` on the thread, for other data of the window, and retries it while it throws. Replaces a
    /// pending call.
    void queue_extra_write(std::function<void()> write);
    /// Saves kernels as a separate session.
    void save_separately(std::map<KernelKey, KernelEdit> kernels);
    /// Deletes the files once all earlier requests are written.
    void remove(SessionFiles files);
    /// Searches for the work of an earlier session once all earlier requests are written.
    void search_earlier();

    std::optional<EarlierSession> take_earlier_session();
    struct Message {
        std::string sentence;
        bool is_bad = false;
    };
    /// Returns a message when saving starts to fail, and when it works again.
    std::optional<Message> take_message();

 private:
    struct State;
    template <class Change>
    void queue_change(Change change);
    static void write(State& state);
    std::shared_ptr<State> state_;
    std::chrono::milliseconds shutdown_timeout_;
};

}  // namespace gridstride

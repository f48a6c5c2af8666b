// State shared by the client's thread and its callers, under one mutex. Callers post commands and signal the
// thread; it executes them and publishes the results.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "base/error.h"
#include "client/client.h"

namespace gridstride::lab {

/// Wakes a thread that waits in poll().
class WakeEvent {
 public:
    WakeEvent();  ///< throws std::runtime_error
    ~WakeEvent();
    WakeEvent(const WakeEvent&) = delete;
    WakeEvent& operator=(const WakeEvent&) = delete;

    /// An eventfd, readable from signal() until clear().
    int descriptor() const { return descriptor_; }
    void signal() const;
    void clear() const;

 private:
    int descriptor_;
};

class ClientState : public Client {
 public:
    void submit(Request request) override;
    void cancel() override;
    std::optional<Report> wait(std::chrono::milliseconds timeout) override;
    bool is_busy() const override;
    std::optional<RunProgress> progress() const override;
    const Limits* limits_if_ready() override;

    // For the client's thread:
    const WakeEvent& wake_event() const { return wake_event_; }
    /// True after stop() or abandon_device().
    bool is_stopped() const;
    bool has_pending_request() const;

    struct Commands {
        std::optional<Request> next;  ///< becomes the active run
        bool cancel = false;          ///< cancels the active run
        bool has_newer_pending = false;
    };
    /// Hands out each command once. `next` is only set if can_take_request.
    Commands take_commands(bool can_take_request);

    /// Stores the device's limits as soon as the lab has a device. Later calls have no effect.
    void set_limits(Limits limits);
    /// Null until set_limits().
    const Limits* device() const { return limits_ ? &*limits_ : nullptr; }
    void publish(const std::optional<RunProgress>& progress);
    /// A final report ends the active run.
    void publish(Report report);
    /// Stops the client, because the lab cannot open a device. wait() then throws NoDevice with the reason.
    void abandon_device(const std::string& reason);

 protected:
    /// Makes the client's thread end.
    void stop();

 private:
    WakeEvent wake_event_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Request> pending_request_;
    std::deque<Report> reports_;
    /// Written once, by the client's thread: a restarted lab opens the same device, and callers hold
    /// references.
    std::optional<Limits> limits_;
    std::optional<RunProgress> progress_;
    std::optional<NoDevice> no_device_;
    bool is_running_ = false;  ///< a run is active
    bool is_cancel_requested_ = false;
    bool stopping_ = false;
};

}  // namespace gridstride::lab

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
class WakeUp {
 public:
    WakeUp();  ///< throws std::runtime_error
    ~WakeUp();
    WakeUp(const WakeUp&) = delete;
    WakeUp& operator=(const WakeUp&) = delete;

    /// An eventfd, readable from ring() until hush().
    int descriptor() const { return descriptor_; }
    void ring() const;
    void hush() const;

 private:
    int descriptor_;
};

class ClientState : public Client {
 public:
    void submit(Request request) override;
    void cancel() override;
    std::optional<Report> wait(std::chrono::milliseconds patience) override;
    bool busy() const override;
    std::optional<Progress> progress() const override;
    const Limits* limits_if_ready() override;

    // For the client's thread:
    const WakeUp& wake_up() const { return wake_up_; }
    /// True after stop() or give_up_device().
    bool is_over() const;
    bool request_waits() const;

    struct Wishes {
        std::optional<Request> next;  ///< becomes the active run
        bool cancel = false;          ///< cancels the active run
        bool newer_waits = false;
    };
    /// Hands out each command once. `next` is only set if next_wanted.
    Wishes take_wishes(bool next_wanted);

    /// Stores the device's limits as soon as the lab has a device. Later calls have no effect.
    void opened(Limits limits);
    /// Null until opened().
    const Limits* device() const { return limits_ ? &*limits_ : nullptr; }
    void publish(const std::optional<Progress>& progress);
    /// A final report ends the active run.
    void publish(Report report);
    void give_up_device(const std::string& why);

 protected:
    /// Makes the client's thread end.
    void stop();

 private:
    WakeUp wake_up_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Request> pending_;
    std::deque<Report> reports_;
    /// Written once, by the client's thread: a restarted lab opens the same device, and callers hold
    /// references.
    std::optional<Limits> limits_;
    std::optional<Progress> progress_;
    std::optional<NoDevice> no_device_;
    bool running_ = false;  ///< a run is active
    bool cancel_wanted_ = false;
    bool stopping_ = false;
};

}  // namespace gridstride::lab

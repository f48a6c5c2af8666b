// What the client's thread and everyone else share, under one mutex: callers leave wishes and ring, the
// thread grants them and publishes what comes of it.
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

    /// Readable from ring() on until hush().
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

    // For the client's thread.
    const WakeUp& wake_up() const { return wake_up_; }
    /// It was stopped, or the device was given up.
    bool is_over() const;
    bool request_waits() const;

    struct Wishes {
        std::optional<Request> next;  ///< it is in the air from now on
        bool cancel = false;          ///< the run in the air
        bool newer_waits = false;
    };
    /// Each wish is handed out once. next only if the thread can take a request.
    Wishes take_wishes(bool next_wanted);

    /// The lab has a device. The limits of the first one stay.
    void opened(Limits limits);
    /// nullptr until then.
    const Limits* device() const { return limits_ ? &*limits_ : nullptr; }
    void publish(const std::optional<Progress>& progress);
    /// A final one lands what was in the air.
    void publish(Report report);
    void give_up_device(const std::string& why);

 protected:
    /// The client's thread is to end.
    void stop();

 private:
    WakeUp wake_up_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Request> pending_;
    std::deque<Report> reports_;
    /// Written once, by the client's thread: a lab started again opens the same device, and others hold
    /// references to it.
    std::optional<Limits> limits_;
    std::optional<Progress> progress_;
    std::optional<NoDevice> no_device_;
    bool running_ = false;  ///< a request is in the air
    bool cancel_wanted_ = false;
    bool stopping_ = false;
};

}  // namespace gridstride::lab

#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace gridstride {

/// Handles SIGINT, SIGTERM and SIGHUP (unless ignored, as under nohup) on its own thread. A second signal at
/// least one second after the first ends the program at once. Construct it before any other thread, because
/// other threads would receive the signals otherwise.
class TerminationSignals {
 public:
    TerminationSignals();
    ~TerminationSignals();
    TerminationSignals(const TerminationSignals&) = delete;
    TerminationSignals& operator=(const TerminationSignals&) = delete;

    bool was_received() const { return is_received_; }
    /// Sets the callback for the first signal; an empty function removes it. It runs on the signal thread, or
    /// at once if a signal has already come.
    void on_signal(std::function<void()> handler);

 private:
    void listen();

    int signal_fd_ = -1;
    int stop_event_ = -1;  ///< eventfd that ends the thread
    std::atomic<bool> is_received_ = false;
    std::mutex mutex_;
    std::function<void()> handler_;
    std::jthread thread_;
};

}  // namespace gridstride

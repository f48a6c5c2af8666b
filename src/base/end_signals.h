#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace gridstride {

/// Handles SIGINT, SIGTERM and SIGHUP (unless ignored, as under nohup) on its own thread. A second signal at
/// least one second after the first ends the program at once. Construct it before any other thread, because
/// other threads would receive the signals otherwise.
class EndSignals {
 public:
    EndSignals();
    ~EndSignals();
    EndSignals(const EndSignals&) = delete;
    EndSignals& operator=(const EndSignals&) = delete;

    bool came() const { return came_; }
    /// Sets the callback for the first signal; an empty function removes it. It runs on the signal thread, or
    /// at once if a signal has already come.
    void when_one_comes(std::function<void()> act);

 private:
    void listen();

    int signals_ = -1;
    int over_ = -1;  ///< eventfd that ends the thread
    std::atomic<bool> came_ = false;
    std::mutex mutex_;
    std::function<void()> act_;
    std::jthread thread_;
};

}  // namespace gridstride

// Ctrl-C, kill and a terminal that is closed, for a program that ends when it has put its things in order.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace gridstride {

/// From its making on SIGINT, SIGTERM and SIGHUP (unless that is ignored, as under nohup) come to a thread of
/// its own. Another of them a second or more after the first ends the program at once. To be made before any
/// other thread, which would else take them.
class EndSignals {
 public:
    EndSignals();
    ~EndSignals();
    EndSignals(const EndSignals&) = delete;
    EndSignals& operator=(const EndSignals&) = delete;

    bool came() const { return came_; }
    /// Called on that thread when the first comes, at once if it has; an empty one: nothing.
    void when_one_comes(std::function<void()> act);

 private:
    void listen();

    int signals_ = -1;
    int over_ = -1;  ///< an eventfd that ends the thread
    std::atomic<bool> came_ = false;
    std::mutex mutex_;
    std::function<void()> act_;
    std::jthread thread_;
};

}  // namespace gridstride

// The lab's queue: at most one request waits while one runs.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "lab/control.h"
#include "lab/request.h"

namespace gridstride::lab {

/// A request and the flags that the client may set while it waits or runs.
struct QueuedRequest {
    Request request;
    Control control;
};

/// The thread that reads the socket fills it; the thread that runs requests empties it.
class RequestQueue {
 public:
    void push(Request request) {
        const std::lock_guard lock(mutex_);
        newest_ = waiting_ = std::make_shared<QueuedRequest>();
        newest_->request = std::move(request);
        changed_.notify_one();
    }
    /// Ends the queue. Ends the process if a run is active, because nobody would receive its report.
    void end() {
        const std::lock_guard lock(mutex_);
        if (is_running_) std::_Exit(0);
        has_ended_ = true;
        changed_.notify_one();
    }
    // The client sends a request only after the previous one was answered, so these refer to the newest one.
    void supersede() { set_flag(&Control::is_superseded); }
    void cancel() { set_flag(&Control::is_cancelled); }

    /// Waits for a request, which counts as running until done(). Returns null after end(). If none comes for
    /// `idle_time`, calls on_idle(), once, and waits on.
    std::shared_ptr<QueuedRequest> pop(std::chrono::milliseconds idle_time,
                                       const std::function<void()>& on_idle) {
        std::unique_lock lock(mutex_);
        const auto is_awaited = [this] { return has_ended_ || waiting_; };
        if (!changed_.wait_for(lock, idle_time, is_awaited)) {
            lock.unlock();
            on_idle();
            lock.lock();
            changed_.wait(lock, is_awaited);
        }
        if (has_ended_) return nullptr;
        is_running_ = true;
        return std::exchange(waiting_, nullptr);
    }
    void done() {
        const std::lock_guard lock(mutex_);
        is_running_ = false;
        newest_ = waiting_;
        if (has_ended_) std::_Exit(0);
    }

 private:
    void set_flag(std::atomic<bool> Control::*flag) {
        const std::lock_guard lock(mutex_);
        if (newest_) newest_->control.*flag = true;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<QueuedRequest> waiting_;
    std::shared_ptr<QueuedRequest> newest_;  ///< waiting or running
    bool is_running_ = false;
    bool has_ended_ = false;
};

}  // namespace gridstride::lab

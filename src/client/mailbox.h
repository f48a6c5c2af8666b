// Requests as they come to the lab: one waits, one runs, and what the client says next is for the newer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "lab/control.h"
#include "lab/request.h"

namespace gridstride::lab {

/// A request, and what is said of it before it is taken and while it runs.
struct Job {
    Request request;
    Control control;
};

/// Filled by the thread that reads the socket, emptied by the one that carries requests out.
class Mailbox {
 public:
    void put(Request request) {
        const std::lock_guard lock(mutex_);
        newest_ = waiting_ = std::make_shared<Job>();
        newest_->request = std::move(request);
        changed_.notify_one();
    }
    /// There will be no more. Ends the process if a run is in the air: it would go on for nobody.
    void end() {
        const std::lock_guard lock(mutex_);
        if (running_) std::_Exit(0);
        ended_ = true;
        changed_.notify_one();
    }
    // The client sends a request only after the one before it was answered: the newest is the one it means.
    void supersede() { say(&Control::superseded); }
    void cancel() { say(&Control::cancelled); }

    /// Waits for a request, which runs until done(). Null: there will be no more.
    std::shared_ptr<Job> take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return ended_ || waiting_; });
        if (ended_) return nullptr;
        running_ = true;
        return std::exchange(waiting_, nullptr);
    }
    void done() {
        const std::lock_guard lock(mutex_);
        running_ = false;
        newest_ = waiting_;
        if (ended_) std::_Exit(0);
    }

 private:
    void say(std::atomic<bool> Control::*what) {
        const std::lock_guard lock(mutex_);
        if (newest_) newest_->control.*what = true;
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::shared_ptr<Job> waiting_;
    std::shared_ptr<Job> newest_;  ///< it waits or runs
    bool running_ = false;
    bool ended_ = false;
};

}  // namespace gridstride::lab

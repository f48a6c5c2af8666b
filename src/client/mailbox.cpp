#include "client/mailbox.h"

#include <cstdlib>
#include <utility>

namespace gridstride::lab {

void Mailbox::put(Request request) {
    {
        const std::lock_guard lock(mutex_);
        waiting_.emplace(Waiting{.request = std::move(request)});
    }
    changed_.notify_one();
}

void Mailbox::end() {
    {
        const std::lock_guard lock(mutex_);
        if (running_) std::_Exit(0);
        ended_ = true;
    }
    changed_.notify_one();
}

void Mailbox::supersede() {
    const std::lock_guard lock(mutex_);
    // The client sends a request only after the one before it was answered: what waits is the one it means.
    if (waiting_)
        waiting_->superseded = true;
    else if (running_)
        running_->superseded = true;
}

void Mailbox::cancel() {
    const std::lock_guard lock(mutex_);
    if (waiting_)
        waiting_->cancelled = true;
    else if (running_)
        running_->cancelled = true;
}

std::optional<Request> Mailbox::take(Control& control) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_ || waiting_; });
    if (ended_) return std::nullopt;
    running_ = &control;
    control.superseded = waiting_->superseded;
    control.cancelled = waiting_->cancelled;
    Request request = std::move(waiting_->request);
    waiting_.reset();
    return request;
}

void Mailbox::done() {
    const std::lock_guard lock(mutex_);
    running_ = nullptr;
    if (ended_) std::_Exit(0);
}

}  // namespace gridstride::lab

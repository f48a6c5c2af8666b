#include "client/client_state.h"

#include <utility>

#include "base/error.h"
#include "client/run_in_air.h"
#include "lab/begin_report.h"

namespace gridstride::lab {

void ClientState::submit(Request request) {
    {
        const std::lock_guard lock(mutex_);
        pending_ = std::move(request);
    }
    wake_up_.ring();
}

void ClientState::cancel() {
    {
        const std::lock_guard lock(mutex_);
        if (pending_) {
            Report report = begin_report(*pending_, limits_.value_or(Limits{}));
            report.status = Status::stopped;
            report.message = stopped_by_person;
            pending_.reset();
            reports_.push_back(std::move(report));
        }
        cancel_wanted_ = running_;
    }
    changed_.notify_all();
    wake_up_.ring();
}

std::optional<Report> ClientState::poll() {
    const std::lock_guard lock(mutex_);
    return next_report();
}

std::optional<Report> ClientState::wait(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [this] { return !reports_.empty() || no_device_; });
    return next_report();
}

bool ClientState::busy() const {
    const std::lock_guard lock(mutex_);
    return !reports_.empty() || (!no_device_ && (pending_ || running_));
}

std::optional<Progress> ClientState::progress() const {
    const std::lock_guard lock(mutex_);
    return progress_;
}

const Limits& ClientState::limits() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return limits_ || no_device_; });
    throw_if_no_device();
    return *limits_;
}

const Limits* ClientState::limits_if_ready() {
    const std::lock_guard lock(mutex_);
    throw_if_no_device();
    return limits_ ? &*limits_ : nullptr;
}

void ClientState::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_up_.ring();
}

bool ClientState::is_over() const {
    const std::lock_guard lock(mutex_);
    return stopping_ || no_device_;
}

bool ClientState::request_waits() const {
    const std::lock_guard lock(mutex_);
    return pending_.has_value();
}

ClientState::Wishes ClientState::take_wishes(bool next_wanted) {
    const std::lock_guard lock(mutex_);
    Wishes wishes;
    wishes.cancel = std::exchange(cancel_wanted_, false);
    if (next_wanted && pending_) {
        wishes.next = std::exchange(pending_, std::nullopt);
        running_ = true;
    }
    wishes.newer_waits = pending_.has_value();
    return wishes;
}

void ClientState::opened(Limits limits) {
    {
        const std::lock_guard lock(mutex_);
        if (!limits_) limits_ = std::move(limits);
    }
    changed_.notify_all();
}

void ClientState::publish(const std::optional<Progress>& progress) {
    const std::lock_guard lock(mutex_);
    progress_ = progress;
}

void ClientState::publish(Report report) {
    {
        const std::lock_guard lock(mutex_);
        // A stop that was asked for meanwhile was for this run, not for the next.
        if (report.final) running_ = cancel_wanted_ = false;
        progress_.reset();
        reports_.push_back(std::move(report));
    }
    changed_.notify_all();
}

void ClientState::give_up_device(const std::string& why) {
    {
        const std::lock_guard lock(mutex_);
        no_device_ = std::make_exception_ptr(NoDevice(why));
        running_ = false;
    }
    changed_.notify_all();
}

void ClientState::throw_if_no_device() const {
    if (no_device_) std::rethrow_exception(no_device_);
}

std::optional<Report> ClientState::next_report() {
    if (reports_.empty()) {
        throw_if_no_device();
        return std::nullopt;
    }
    Report report = std::move(reports_.front());
    reports_.pop_front();
    return report;
}

}  // namespace gridstride::lab

#include "client/client_state.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <utility>

#include "client/run_in_air.h"
#include "lab/request.h"

namespace gridstride::lab {

WakeUp::WakeUp() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (descriptor_ < 0)
        throw std::runtime_error(
            "The lab cannot be started: there is no file descriptor left. Close other programs.");
}

WakeUp::~WakeUp() {
    close(descriptor_);
}

void WakeUp::ring() const {
    eventfd_write(descriptor_, 1);
}

void WakeUp::hush() const {
    eventfd_t count = 0;
    eventfd_read(descriptor_, &count);
}

void ClientState::submit(Request request) {
    const std::lock_guard lock(mutex_);
    pending_ = std::move(request);
    wake_up_.ring();
}

void ClientState::cancel() {
    const std::lock_guard lock(mutex_);
    if (pending_) {
        reports_.push_back(stopped_report(*pending_, limits_.value_or(Limits{})));
        pending_.reset();
    }
    cancel_wanted_ = running_;
    changed_.notify_all();
    wake_up_.ring();
}

std::optional<Report> ClientState::wait(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, patience, [this] { return !reports_.empty() || no_device_; }))
        return std::nullopt;
    if (reports_.empty()) throw NoDevice(*no_device_);
    Report report = std::move(reports_.front());
    reports_.pop_front();
    return report;
}

bool ClientState::busy() const {
    const std::lock_guard lock(mutex_);
    return !reports_.empty() || (!no_device_ && (pending_ || running_));
}

std::optional<Progress> ClientState::progress() const {
    const std::lock_guard lock(mutex_);
    return progress_;
}

const Limits* ClientState::limits_if_ready() {
    const std::lock_guard lock(mutex_);
    if (no_device_) throw NoDevice(*no_device_);
    return device();
}

void ClientState::stop() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
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
    const std::lock_guard lock(mutex_);
    if (!limits_) limits_ = std::move(limits);
}

void ClientState::publish(const std::optional<Progress>& progress) {
    const std::lock_guard lock(mutex_);
    progress_ = progress;
}

void ClientState::publish(Report report) {
    const std::lock_guard lock(mutex_);
    // A cancel() that came meanwhile was for this run, not for the next.
    if (report.final) running_ = cancel_wanted_ = false;
    progress_.reset();
    reports_.push_back(std::move(report));
    changed_.notify_all();
}

void ClientState::give_up_device(const std::string& why) {
    const std::lock_guard lock(mutex_);
    no_device_.emplace(why);
    running_ = false;
    changed_.notify_all();
}

}  // namespace gridstride::lab

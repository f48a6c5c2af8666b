#include "client/client_state.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <utility>

#include "client/active_run.h"
#include "lab/request.h"

namespace gridstride::lab {

WakeEvent::WakeEvent() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (descriptor_ < 0)
        throw std::runtime_error(
            "The lab cannot be started: there is no file descriptor left. Close other programs.");
}

WakeEvent::~WakeEvent() {
    close(descriptor_);
}

void WakeEvent::signal() const {
    eventfd_write(descriptor_, 1);
}

void WakeEvent::clear() const {
    eventfd_t count = 0;
    eventfd_read(descriptor_, &count);
}

void ClientState::submit(Request request) {
    const std::lock_guard lock(mutex_);
    pending_request_ = std::move(request);
    wake_event_.signal();
}

void ClientState::cancel() {
    const std::lock_guard lock(mutex_);
    if (pending_request_) {
        reports_.push_back(make_stopped_report(*pending_request_, limits_.value_or(Limits{})));
        pending_request_.reset();
    }
    is_cancel_requested_ = is_running_;
    changed_.notify_all();
    wake_event_.signal();
}

std::optional<Report> ClientState::wait(std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, timeout, [this] { return !reports_.empty() || no_device_; }))
        return std::nullopt;
    if (reports_.empty()) throw NoDevice(*no_device_);
    Report report = std::move(reports_.front());
    reports_.pop_front();
    return report;
}

bool ClientState::is_busy() const {
    const std::lock_guard lock(mutex_);
    return !reports_.empty() || (!no_device_ && (pending_request_ || is_running_));
}

std::optional<RunProgress> ClientState::progress() const {
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
    wake_event_.signal();
}

bool ClientState::is_stopped() const {
    const std::lock_guard lock(mutex_);
    return stopping_ || no_device_;
}

bool ClientState::has_pending_request() const {
    const std::lock_guard lock(mutex_);
    return pending_request_.has_value();
}

ClientState::Commands ClientState::take_commands(bool can_take_request) {
    const std::lock_guard lock(mutex_);
    Commands commands;
    commands.cancel = std::exchange(is_cancel_requested_, false);
    if (can_take_request && pending_request_) {
        commands.next = std::exchange(pending_request_, std::nullopt);
        is_running_ = true;
    }
    commands.has_newer_pending = pending_request_.has_value();
    return commands;
}

void ClientState::set_limits(Limits limits) {
    const std::lock_guard lock(mutex_);
    if (!limits_) limits_ = std::move(limits);
}

void ClientState::publish(const std::optional<RunProgress>& progress) {
    const std::lock_guard lock(mutex_);
    progress_ = progress;
}

void ClientState::publish(Report report) {
    const std::lock_guard lock(mutex_);
    // A cancel() that came meanwhile was for this run, not for the next.
    if (report.is_final) is_running_ = is_cancel_requested_ = false;
    progress_.reset();
    reports_.push_back(std::move(report));
    changed_.notify_all();
}

void ClientState::abandon_device(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    no_device_.emplace(reason);
    is_running_ = false;
    changed_.notify_all();
}

}  // namespace gridstride::lab

#include "client/client_thread.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "base/log.h"
#include "base/priority.h"
#include "base/shared_memory.h"
#include "gpu/device.h"
#include "lab/request.h"
#include "lesson/lesson.h"
#include "storage/notices.h"

namespace gridstride::lab {

namespace {

using std::chrono::milliseconds;

/// A lab that ends regularly needs some milliseconds to close its device.
constexpr milliseconds shutdown_grace{500};
/// A driver may compile its own kernels when it opens a device.
constexpr std::chrono::seconds max_start_time{60};
/// The pause between starts that fail for lack of resources; it doubles each time.
constexpr milliseconds min_pause{50};
constexpr milliseconds max_pause{1600};
/// A leaving lab exits within some milliseconds.
constexpr milliseconds leaving_grace{500};
/// A lab whose socket is closed is about to end; the wait is for its exit status.
constexpr milliseconds closed_grace{500};

/// Replaces a report whose arrays could not be received.
Report without_arrays(const Report& report) {
    return make_failed_report(report,
                              "The results of the run cannot be received: no file descriptor is left in this "
                              "program. Close other programs, or raise the limit (ulimit -n).");
}

}  // namespace

void ClientThread::serve() {
    lower_thread_priority();
    while (!state_.is_stopped()) {
        try {
            if (!lab_ && is_lab_needed() && Clock::now() >= next_start_) start();
            // Executes all commands, because callers signal only once.
            while (handle_commands()) {
            }
            poll_once();
        } catch (const wire::MalformedMessage& error) {
            on_lab_lost(fmt::format("it sent an invalid message ({})", error.what()));
        } catch (const ChannelClosed&) {
            on_lab_lost({});
        } catch (const std::bad_alloc&) {
            on_lab_lost("there was not enough memory for its message");
        } catch (const std::exception& error) {
            abandon_device(error.what());
        }
    }
    if (!lab_) return;
    lab_->channel().finish();
    lab_->end(active_run_ || !is_ready_ ? milliseconds(0) : shutdown_grace);
}

/// After repeated losses while idle, or repeated failures to start, the lab is restarted only for a request.
bool ClientThread::is_lab_needed() const {
    if (active_run_ || state_.has_pending_request()) return true;
    return idle_losses_ < max_losses && deferred_starts_ < max_losses;
}

void ClientThread::start() {
    is_ready_ = is_leaving_ = false;
    sent_lessons_.clear();
    started_at_ = Clock::now();
    try {
        lab_.emplace(options_.program);
    } catch (const ResourceShortage& shortage) {
        next_start_ = Clock::now() + std::min(max_pause, min_pause * (1 << std::min(deferred_starts_, 10)));
        deferral_reason_ = shortage.what();
        // At the very first start, there is no use in waiting.
        if (++deferred_starts_ >= max_losses && !state_.device()) abandon_device(deferral_reason_);
        return;
    }
    deferred_starts_ = 0;
    lab_->channel().post(MessageKind::hello, Hello{options_.device, gpu::is_validation_enabled()});
}

/// Executes pending commands. Returns whether there may be more.
bool ClientThread::handle_commands() {
    // The deadline also covers the wait for a lab that cannot be started.
    const bool can_take = !active_run_ && state_.device() && (is_ready_ || deferred_starts_ > 0);
    ClientState::Commands commands = state_.take_commands(can_take);
    if (commands.next)
        active_run_.emplace(std::move(*commands.next), options_.deadline_seconds > 0
                                                           ? options_.deadline_seconds
                                                           : default_deadline_seconds(*state_.device()));
    if (!active_run_) return false;
    if (commands.cancel && !active_run_->is_cancelled()) {
        cancel_run();
        if (!active_run_) return true;
    }
    if (!active_run_->was_sent()) return send_or_report_delay(commands.has_newer_pending);
    if (commands.has_newer_pending && !active_run_->is_superseded()) {
        active_run_->supersede();
        lab_->channel().post(MessageKind::supersede);
    }
    return false;
}

bool ClientThread::send_or_report_delay(bool has_newer_pending) {
    if (is_ready_) {
        send_request();
        return true;
    }
    // The first pauses are too short to be worth a message.
    if (deferred_starts_ < max_losses) return false;
    if (has_newer_pending) {
        end_run(Status::lost, deferral_reason_);
        return true;
    }
    if (!active_run_->has_report()) {
        Report report = active_run_->make_final_report(
            Status::lost, deferral_reason_ + " Gridstride keeps trying.", *state_.device());
        report.is_final = false;
        handle_report(std::move(report));
    }
    return false;
}

void ClientThread::send_request() {
    try {
        Request request = active_run_->next_attempt();
        const Lesson* const lesson = find_lesson(request.experiment);
        if (lesson && !lesson->folder.empty() && sent_lessons_.insert(lesson).second) {
            request.lesson_folder = lesson->folder;
            request.lesson_files = *lesson->files;
        }
        lab_->channel().post(MessageKind::request, request);
    } catch (const std::length_error& error) {
        end_run(Status::refused, fmt::format("The request is too large: {}.", error.what()));
    } catch (const SharedMemoryError& none) {
        end_run(Status::failed, fmt::format("The request cannot be sent: {}", none.what()));
    } catch (const std::bad_alloc&) {
        end_run(Status::failed,
                "The request cannot be sent: there is not enough memory. Close other programs.");
    }
}

/// Asks the lab to stop; it is killed only if it does not.
void ClientThread::cancel_run() {
    active_run_->cancel();
    if (!active_run_->was_sent()) return abort_run();
    lab_->channel().post(MessageKind::cancel);
}

/// Waits for a command, a message or a deadline, and handles it.
void ClientThread::poll_once() {
    const auto send_event = static_cast<short>(lab_ && lab_->channel().has_unsent() ? POLLOUT : 0);
    // poll() ignores a negative descriptor.
    std::array<pollfd, 2> sources = {
        {{state_.wake_event().descriptor(), POLLIN, 0},
         {lab_ ? lab_->channel().descriptor() : -1, static_cast<short>(POLLIN | send_event), 0}}};
    ::poll(sources.data(), sources.size(), static_cast<int>(poll_timeout().count()));
    // Clear the signal before reading the commands, so that a later one is not missed.
    if (sources[0].revents != 0) state_.wake_event().clear();
    const bool readable = (sources[1].revents & ~POLLOUT) != 0;
    if (readable) {
        if (const auto message = lab_->channel().try_receive()) handle_message(*message);
    } else if (poll_timeout() == milliseconds(0)) {
        handle_timeout();
    }
    if (lab_ && lab_->channel().has_unsent()) lab_->channel().send_pending();
}

/// Returns -1 to wait without limit.
milliseconds ClientThread::poll_timeout() const {
    Clock::time_point until = Clock::time_point::max();
    if (!lab_ && is_lab_needed()) until = next_start_;
    if (lab_ && !is_ready_) until = started_at_ + max_start_time;
    if (active_run_) until = std::min(until, active_run_->abort_time());
    if (until == Clock::time_point::max()) return milliseconds(-1);
    // Rounded up: poll() would otherwise return too early and spin.
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(until - Clock::now()));
}

void ClientThread::handle_timeout() {
    const auto now = Clock::now();
    if (!active_run_ || now < active_run_->abort_time()) {
        if (lab_ && !is_ready_ && now >= started_at_ + max_start_time)
            on_lab_lost(fmt::format("it did not open the device in {} s", max_start_time.count()));
        return;
    }
    if (!active_run_->was_sent() && deferred_starts_ > 0) return end_run(Status::lost, deferral_reason_);
    if (!active_run_->was_sent()) return abort_run();
    if (active_run_->is_superseded() && !active_run_->is_cancelled()) return cancel_run();
    on_lab_lost("it was ended");
}

// --- Messages and failures of the lab

void ClientThread::notify() const {
    if (options_.on_change) options_.on_change();
}

void ClientThread::handle_message(const Message& message) {
    switch (message.kind) {
        case MessageKind::ready:
            state_.set_limits(decode<Limits>(message));
            is_ready_ = true;
            failed_starts_ = 0;
            return notify();
        case MessageKind::no_device:
            return abandon_device(decode<std::string>(message));
        case MessageKind::leaving:
            is_leaving_ = true;
            return;
        case MessageKind::report: {
            auto report = decode<Report>(message);
            idle_losses_ = 0;
            if (message.has_lost_arrays && !report.is_final) return;  // the final report explains it
            handle_report(message.has_lost_arrays ? without_arrays(report) : std::move(report));
            if (is_leaving_ && !active_run_) {
                // No message: nothing was lost, and the next lab starts at once.
                lab_->end(leaving_grace);
                lab_.reset();
                is_ready_ = false;
            }
            return;
        }
        case MessageKind::progress: {
            const auto progress = decode<RunProgress>(message);
            if (!active_run_ || progress.request != active_run_->request().id) return;
            state_.publish(progress);
            return notify();
        }
        case MessageKind::notice:
            queue_notice(decode<std::string>(message));
            return notify();
        default:
            throw wire::MalformedMessage(fmt::format("a message of kind {}, which the client does not expect",
                                                     static_cast<unsigned>(message.kind)));
    }
}

void ClientThread::handle_report(Report report) {
    if (!active_run_ || report.request != active_run_->request().id)
        throw wire::MalformedMessage(
            fmt::format("a report of request {}, which is not active", report.request));
    if (report.is_final && report.status == Status::timed_out)
        report.message = active_run_->timeout_message();
    if (report.is_final)
        active_run_.reset();
    else
        active_run_->set_partial_report(report);
    state_.publish(std::move(report));
    notify();
}

/// Reports the run's end in place of the lab.
void ClientThread::end_run(Status status, const std::string& message) {
    handle_report(active_run_->make_final_report(status, message, *state_.device()));
}

void ClientThread::abort_run() {
    if (active_run_->is_cancelled())
        end_run(Status::stopped, stopped_message);
    else
        end_run(Status::timed_out, active_run_->timeout_message());
}

void ClientThread::abandon_device(const std::string& reason) {
    if (active_run_ && state_.device()) end_run(Status::lost, reason);
    active_run_.reset();
    lab_.reset();
    state_.abandon_device(reason);
    notify();
}

/// Ends the lab, if it still runs. The active request is retried or reported as lost.
void ClientThread::on_lab_lost(const std::string& known_cause) {
    ExitInfo ending = lab_ ? lab_->end(known_cause.empty() ? closed_grace : milliseconds(0)) : ExitInfo{};
    if (!known_cause.empty()) ending = {known_cause};
    const std::string& reason = ending.description;
    lab_.reset();
    state_.publish(std::nullopt);
    if (!std::exchange(is_ready_, false)) {
        if (++failed_starts_ >= max_losses)
            abandon_device(
                fmt::format("The lab, the process that computes, was started {} times and ended each time "
                            "before it had opened a device: {}. Run \"gridstride doctor\" for details.",
                            failed_starts_, reason));
        return;
    }
    if (!active_run_) {
        ++idle_losses_;
        log_info(fmt::format("the lab ended while nothing ran ({})", reason));
        return;
    }
    if (active_run_->is_cancelled() || Clock::now() >= active_run_->abort_time()) return abort_run();
    const std::string what = active_run_->describe();
    if (active_run_->on_lab_lost()) {
        log_info(fmt::format("the lab was lost while it ran {} ({}); trying again", what, reason));
        return;
    }
    std::string advice = ending.advice;
    if (advice.empty() && ending.has_crashed && state_.device()->is_cpu)
        advice =
            "On a software driver, a kernel that accesses memory beyond its workgroup arrays causes this.";
    end_run(
        Status::lost,
        fmt::format("The lab was lost {} times in a row while it ran {}: {}. It has been started again.{}{}",
                    max_losses, what, reason, advice.empty() ? "" : " ", advice));
}

}  // namespace gridstride::lab

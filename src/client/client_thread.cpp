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
#include "storage/notices.h"

namespace gridstride::lab {

namespace {

using std::chrono::milliseconds;

/// A lab that ends regularly needs some milliseconds to close its device.
constexpr milliseconds grace_at_the_end{500};
/// A driver may compile its own kernels when it opens a device.
constexpr std::chrono::seconds longest_start{60};
/// The pause between starts that fail for lack of resources; it doubles each time.
constexpr milliseconds first_pause{50};
constexpr milliseconds longest_pause{1600};
/// A leaving lab exits within some milliseconds.
constexpr milliseconds grace_when_leaving{500};
/// A lab whose socket is closed is about to end; the wait is for its exit status.
constexpr milliseconds grace_when_gone{500};

/// Replaces a report whose arrays could not be received.
Report without_arrays(const Report& report) {
    return without_results(report,
                           "The results of the run cannot be received: no file descriptor is left in this "
                           "program. Close other programs, or raise the limit (ulimit -n).");
}

}  // namespace

void ClientThread::serve() {
    work_beside_the_window();
    while (!state_.is_over()) {
        try {
            if (!lab_ && is_wanted() && Clock::now() >= not_before_) start();
            // Executes all commands, because callers signal only once.
            while (grant_wish()) {
            }
            attend();
        } catch (const wire::Malformed& error) {
            lose(fmt::format("it sent an invalid message ({})", error.what()));
        } catch (const ChannelClosed&) {
            lose({});
        } catch (const std::bad_alloc&) {
            lose("there was not enough memory for its message");
        } catch (const std::exception& error) {
            give_up_device(error.what());
        }
    }
    if (!lab_) return;
    lab_->channel().finish();
    lab_->end(in_air_ || !ready_ ? milliseconds(0) : grace_at_the_end);
}

/// After repeated losses while idle, or repeated failures to start, the lab is restarted only for a request.
bool ClientThread::is_wanted() const {
    if (in_air_ || state_.request_waits()) return true;
    return idle_losses_ < max_losses && put_off_starts_ < max_losses;
}

void ClientThread::start() {
    ready_ = leaving_ = false;
    started_at_ = Clock::now();
    try {
        lab_.emplace(options_.program);
    } catch (const NothingLeft& shortage) {
        not_before_ =
            Clock::now() + std::min(longest_pause, first_pause * (1 << std::min(put_off_starts_, 10)));
        why_put_off_ = shortage.what();
        // At the very first start, there is no use in waiting.
        if (++put_off_starts_ >= max_losses && !state_.device()) give_up_device(why_put_off_);
        return;
    }
    put_off_starts_ = 0;
    lab_->channel().post(MessageKind::hello, Hello{options_.device, gpu::validation_enabled()});
}

/// Executes pending commands. Returns whether there may be more.
bool ClientThread::grant_wish() {
    // The deadline also covers the wait for a lab that cannot be started.
    const bool can_take = !in_air_ && state_.device() && (ready_ || put_off_starts_ > 0);
    ClientState::Wishes wishes = state_.take_wishes(can_take);
    if (wishes.next)
        in_air_.emplace(std::move(*wishes.next), options_.deadline_seconds > 0
                                                     ? options_.deadline_seconds
                                                     : default_deadline_seconds(*state_.device()));
    if (!in_air_) return false;
    if (wishes.cancel && !in_air_->cancelled()) {
        cancel_run();
        if (!in_air_) return true;
    }
    if (!in_air_->sent()) return send_or_explain(wishes.newer_waits);
    if (wishes.newer_waits && !in_air_->superseded()) {
        in_air_->supersede();
        lab_->channel().post(MessageKind::supersede);
    }
    return false;
}

bool ClientThread::send_or_explain(bool newer_waits) {
    if (ready_) {
        send_request();
        return true;
    }
    // The first pauses are too short to be worth a message.
    if (put_off_starts_ < max_losses) return false;
    if (newer_waits) {
        end_run(Status::lost, why_put_off_);
        return true;
    }
    if (!in_air_->has_report()) {
        Report report =
            in_air_->ended(Status::lost, why_put_off_ + " Gridstride keeps trying.", *state_.device());
        report.final = false;
        take_report(std::move(report));
    }
    return false;
}

void ClientThread::send_request() {
    try {
        lab_->channel().post(MessageKind::request, in_air_->next_try());
    } catch (const std::length_error& error) {
        end_run(Status::refused, fmt::format("The request is too large: {}.", error.what()));
    } catch (const NoSharedMemory& none) {
        end_run(Status::failed, fmt::format("The request cannot be sent: {}", none.what()));
    } catch (const std::bad_alloc&) {
        end_run(Status::failed,
                "The request cannot be sent: there is not enough memory. Close other programs.");
    }
}

/// Asks the lab to stop; it is killed only if it does not.
void ClientThread::cancel_run() {
    in_air_->cancel();
    if (!in_air_->sent()) return give_up_run();
    lab_->channel().post(MessageKind::cancel);
}

/// Waits for a command, a message or a deadline, and handles it.
void ClientThread::attend() {
    const auto sending = static_cast<short>(lab_ && lab_->channel().has_rest() ? POLLOUT : 0);
    // poll() ignores a negative descriptor.
    std::array<pollfd, 2> sources = {
        {{state_.wake_up().descriptor(), POLLIN, 0},
         {lab_ ? lab_->channel().descriptor() : -1, static_cast<short>(POLLIN | sending), 0}}};
    ::poll(sources.data(), sources.size(), static_cast<int>(time_to_wait().count()));
    // Clear the signal before reading the commands, so that a later one is not missed.
    if (sources[0].revents != 0) state_.wake_up().hush();
    const bool readable = (sources[1].revents & ~POLLOUT) != 0;
    if (readable) {
        if (const auto message = lab_->channel().receive_if_there()) take_message(*message);
    } else if (time_to_wait() == milliseconds(0)) {
        run_out_of_patience();
    }
    if (lab_ && lab_->channel().has_rest()) lab_->channel().send_rest();
}

/// Returns -1 to wait without limit.
milliseconds ClientThread::time_to_wait() const {
    Clock::time_point until = Clock::time_point::max();
    if (!lab_ && is_wanted()) until = not_before_;
    if (lab_ && !ready_) until = started_at_ + longest_start;
    if (in_air_) until = std::min(until, in_air_->give_up_at());
    if (until == Clock::time_point::max()) return milliseconds(-1);
    // Rounded up: poll() would otherwise return too early and spin.
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(until - Clock::now()));
}

void ClientThread::run_out_of_patience() {
    const auto now = Clock::now();
    if (!in_air_ || now < in_air_->give_up_at()) {
        if (lab_ && !ready_ && now >= started_at_ + longest_start) lose("it did not open the device in time");
        return;
    }
    if (!in_air_->sent() && put_off_starts_ > 0) return end_run(Status::lost, why_put_off_);
    if (!in_air_->sent()) return give_up_run();
    if (in_air_->superseded() && !in_air_->cancelled()) return cancel_run();
    lose("it was ended");
}

// --- Messages and failures of the lab

void ClientThread::tell() const {
    if (options_.on_change) options_.on_change();
}

void ClientThread::take_message(const Message& message) {
    switch (message.kind) {
        case MessageKind::ready:
            state_.opened(decode<Limits>(message));
            ready_ = true;
            failed_starts_ = 0;
            return tell();
        case MessageKind::no_device:
            return give_up_device(decode<std::string>(message));
        case MessageKind::leaving:
            leaving_ = true;
            return;
        case MessageKind::report: {
            auto report = decode<Report>(message);
            idle_losses_ = 0;
            if (message.arrays_lost && !report.final) return;  // the final report explains it
            take_report(message.arrays_lost ? without_arrays(report) : std::move(report));
            if (leaving_ && !in_air_) {
                // No message: nothing was lost, and the next lab starts at once.
                lab_->end(grace_when_leaving);
                lab_.reset();
                ready_ = false;
            }
            return;
        }
        case MessageKind::progress: {
            const auto progress = decode<Progress>(message);
            if (!in_air_ || progress.request != in_air_->request().id) return;
            state_.publish(progress);
            return tell();
        }
        case MessageKind::notice:
            pass_on_notice(decode<std::string>(message));
            return tell();
        default:
            throw wire::Malformed("a message that the client does not expect");
    }
}

void ClientThread::take_report(Report report) {
    if (!in_air_ || report.request != in_air_->request().id)
        throw wire::Malformed("a report without a request");
    if (report.final && report.status == Status::timed_out) report.message = in_air_->why_timed_out();
    if (report.final)
        in_air_.reset();
    else
        in_air_->keep(report);
    state_.publish(std::move(report));
    tell();
}

/// Reports the run's end in place of the lab.
void ClientThread::end_run(Status status, const std::string& message) {
    take_report(in_air_->ended(status, message, *state_.device()));
}

void ClientThread::give_up_run() {
    if (in_air_->cancelled())
        end_run(Status::stopped, stopped_by_person);
    else
        end_run(Status::timed_out, in_air_->why_timed_out());
}

void ClientThread::give_up_device(const std::string& why) {
    if (in_air_ && state_.device()) end_run(Status::lost, why);
    in_air_.reset();
    lab_.reset();
    state_.give_up_device(why);
    tell();
}

/// Ends the lab, if it still runs. The active request is retried or reported as lost.
void ClientThread::lose(const std::string& why) {
    Ending ending = lab_ ? lab_->end(why.empty() ? grace_when_gone : milliseconds(0)) : Ending{};
    if (!why.empty()) ending = {why};
    const std::string& reason = ending.how;
    lab_.reset();
    state_.publish(std::nullopt);
    if (!std::exchange(ready_, false)) {
        if (++failed_starts_ >= max_losses)
            give_up_device(
                fmt::format("The lab, the process that computes, was started {} times and ended each time "
                            "before it had opened a device: {}. Run \"gridstride doctor\" for details.",
                            failed_starts_, reason));
        return;
    }
    if (!in_air_) {
        ++idle_losses_;
        log_info(fmt::format("the lab ended while nothing ran ({})", reason));
        return;
    }
    if (in_air_->cancelled() || Clock::now() >= in_air_->give_up_at()) return give_up_run();
    const std::string what = in_air_->in_words();
    if (in_air_->lose()) {
        log_info(fmt::format("the lab was lost while it ran {} ({}); trying again", what, reason));
        return;
    }
    std::string advice = ending.advice;
    if (advice.empty() && ending.crashed && state_.device()->is_cpu)
        advice =
            "On a software driver, a kernel that accesses memory beyond its workgroup arrays causes this.";
    end_run(
        Status::lost,
        fmt::format("The lab was lost {} times in a row while it ran {}: {}. It has been started again.{}{}",
                    max_losses, what, reason, advice.empty() ? "" : " ", advice));
}

}  // namespace gridstride::lab

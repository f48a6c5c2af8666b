#include "client/client_thread.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <new>

#include "base/no_shared_memory.h"
#include "base/priority.h"
#include "client/hello.h"
#include "client/messages.h"
#include "gpu/device.h"

namespace gridstride::lab {

namespace {

using std::chrono::milliseconds;

/// A lab that is told to end closes its device, which takes some milliseconds.
constexpr milliseconds grace_at_the_end{500};
/// Opening a device can compile a driver's own kernels.
constexpr std::chrono::seconds longest_start{60};
/// Between starts that the system has nothing left for: doubled each time.
constexpr milliseconds first_pause{50};
constexpr milliseconds longest_pause{1600};

}  // namespace

void ClientThread::serve() {
    work_beside_the_window();
    while (!state_.is_over()) {
        try {
            if (!lab_ && is_wanted() && Clock::now() >= setbacks_.not_before) start();
            grant_wishes();
            attend();
        } catch (const wire::Malformed& error) {
            lose(fmt::format("it sent what cannot be read ({})", error.what()));
        } catch (const ChannelClosed&) {
            lose({});
        } catch (const std::bad_alloc&) {
            lose("there was not enough memory for what it sent");
        } catch (const std::exception& error) {
            give_up_device(error.what());
        }
    }
    if (!lab_) return;
    lab_->channel().finish();
    lab_->end(in_air_ || !ready_ ? milliseconds(0) : grace_at_the_end);
}

/// A lab that ends again and again while nothing runs, or that cannot be started, is left alone until there
/// is something to do.
bool ClientThread::is_wanted() const {
    if (in_air_ || state_.request_waits()) return true;
    return setbacks_.idle_losses < most_losses && setbacks_.put_off_starts < most_losses;
}

void ClientThread::start() {
    ready_ = leaving_ = false;
    started_at_ = Clock::now();
    try {
        lab_.emplace(options_.program);
    } catch (const NothingLeft& shortage) {
        return put_off_start(shortage.what());
    }
    setbacks_.put_off_starts = 0;
    lab_->channel().post(MessageKind::hello, Hello{options_.device, gpu::validation_enabled()});
}

void ClientThread::put_off_start(const std::string& why) {
    setbacks_.not_before =
        Clock::now() + std::min(longest_pause, first_pause * (1 << std::min(setbacks_.put_off_starts, 10)));
    setbacks_.why_put_off = why;
    // Whoever has just begun and cannot has no use for waiting.
    if (++setbacks_.put_off_starts >= most_losses && !state_.device()) give_up_device(why);
}

/// All of them: nobody rings again for what is left.
void ClientThread::grant_wishes() {
    while (grant_wish()) {
    }
}

/// Whether there may be more to do.
bool ClientThread::grant_wish() {
    // A request that waits for a lab that cannot be started has a deadline, too.
    const bool can_take = !in_air_ && state_.device() && (ready_ || setbacks_.put_off_starts > 0);
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
    // The first pauses are over before anyone has read why.
    if (setbacks_.put_off_starts < most_losses) return false;
    if (newer_waits) {
        end_run(Status::lost, setbacks_.why_put_off);
        return true;
    }
    if (!in_air_->has_report())
        take_report(in_air_->waiting(setbacks_.why_put_off + " It is tried again.", *state_.device()));
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

/// Politely at first.
void ClientThread::cancel_run() {
    in_air_->cancel();
    if (!in_air_->sent()) return give_up_run();
    lab_->channel().post(MessageKind::cancel);
}

/// Waits for the next thing to happen, and sees to it.
void ClientThread::attend() {
    const auto sending = static_cast<short>(lab_ && lab_->channel().has_rest() ? POLLOUT : 0);
    // poll() passes over a negative descriptor.
    std::array<pollfd, 2> sources = {
        {{state_.wake_up().descriptor(), POLLIN, 0},
         {lab_ ? lab_->channel().descriptor() : -1, static_cast<short>(POLLIN | sending), 0}}};
    ::poll(sources.data(), sources.size(), static_cast<int>(time_to_wait().count()));
    // Before the wishes are read, so that a ring after that is heard.
    if (sources[0].revents != 0) state_.wake_up().hush();
    const bool readable = (sources[1].revents & ~POLLOUT) != 0;
    if (readable) {
        if (const auto message = lab_->channel().receive_if_there()) take_message(*message);
    } else if (time_to_wait() == milliseconds(0)) {
        run_out_of_patience();
    }
    if (lab_ && lab_->channel().has_rest()) lab_->channel().send_rest();
}

/// -1: for ever.
milliseconds ClientThread::time_to_wait() const {
    Clock::time_point until = Clock::time_point::max();
    if (!lab_ && is_wanted()) until = setbacks_.not_before;
    if (lab_ && !ready_) until = started_at_ + longest_start;
    if (in_air_) until = std::min(until, in_air_->give_up_at());
    if (until == Clock::time_point::max()) return milliseconds(-1);
    // Rounded up: a poll that ends a little early would spin.
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(until - Clock::now()));
}

void ClientThread::run_out_of_patience() {
    const auto now = Clock::now();
    if (!in_air_ || now < in_air_->give_up_at()) {
        if (lab_ && !ready_ && now >= started_at_ + longest_start) lose("it did not open the device in time");
        return;
    }
    if (!in_air_->sent() && setbacks_.put_off_starts > 0) return end_run(Status::lost, setbacks_.why_put_off);
    if (!in_air_->sent()) return give_up_run();
    if (in_air_->superseded() && !in_air_->cancelled()) return cancel_run();
    lose("it was ended");
}

}  // namespace gridstride::lab

// What the lab says, and what its loss means for the run in the air.
#include <fmt/format.h>

#include <utility>

#include "base/log.h"
#include "client/client_thread.h"
#include "client/messages.h"
#include "lab/begin_report.h"

namespace gridstride::lab {

namespace {

using std::chrono::milliseconds;

/// A lab that says that it leaves is gone within some milliseconds.
constexpr milliseconds grace_when_leaving{500};
/// One whose socket is closed is about to end, and how it ends is worth knowing.
constexpr milliseconds grace_when_gone{500};

/// A report whose arrays could not be taken.
Report without_arrays(const Report& report) {
    return without_results(report,
                           "The results of the run cannot be taken over: no file descriptor is left in this "
                           "program. Close other programs, or raise the limit (ulimit -n).");
}

}  // namespace

void ClientThread::tell() const {
    if (options_.on_change) options_.on_change();
}

void ClientThread::take_message(const Message& message) {
    switch (message.kind) {
        case MessageKind::ready:
            state_.opened(decode<Limits>(message));
            ready_ = true;
            setbacks_.failed_starts = 0;
            return tell();
        case MessageKind::no_device:
            return give_up_device(decode<std::string>(message));
        case MessageKind::leaving:
            leaving_ = true;
            return;
        case MessageKind::report: {
            auto report = decode<Report>(message);
            setbacks_.idle_losses = 0;
            if (message.arrays_lost && !report.final) return;  // the final one says it
            take_report(message.arrays_lost ? without_arrays(report) : std::move(report));
            if (leaving_ && !in_air_) end_lab();
            return;
        }
        case MessageKind::progress: {
            const auto progress = decode<Progress>(message);
            if (!in_air_ || progress.request != in_air_->request().id) return;
            state_.publish(progress);
            return tell();
        }
        default:
            throw wire::Malformed("a message that the client does not take");
    }
}

void ClientThread::take_report(Report report) {
    if (!in_air_ || report.request != in_air_->request().id)
        throw wire::Malformed("a report that nobody asked for");
    const bool given_up = report.status == Status::timed_out || report.status == Status::stopped;
    if (report.final && given_up) in_air_->call_given_up(report);
    if (report.final)
        in_air_.reset();
    else
        in_air_->keep(report);
    state_.publish(std::move(report));
    tell();
}

/// Without a word: nothing was lost, and the next one starts at once.
void ClientThread::end_lab() {
    lab_->end(grace_when_leaving);
    lab_.reset();
    ready_ = false;
}

/// A final report in the lab's place.
void ClientThread::end_run(Status status, const std::string& message) {
    take_report(in_air_->ended(status, message, *state_.device()));
}

void ClientThread::give_up_run() {
    take_report(in_air_->given_up(*state_.device()));
}

void ClientThread::give_up_device(const std::string& why) {
    if (in_air_ && state_.device()) end_run(Status::lost, why);
    in_air_.reset();
    lab_.reset();
    state_.give_up_device(why);
    tell();
}

/// The lab is gone, or must go. What it was doing is tried again, or reported.
void ClientThread::lose(const std::string& why) {
    Ending ending = lab_ ? lab_->end(why.empty() ? grace_when_gone : milliseconds(0)) : Ending{};
    if (!why.empty()) ending = {why};
    const std::string& reason = ending.how;
    lab_.reset();
    state_.publish(std::nullopt);
    if (!std::exchange(ready_, false)) return lose_start(reason);
    if (!in_air_) {
        ++setbacks_.idle_losses;
        spdlog::info("the lab ended while nothing ran ({})", reason);
        return;
    }
    if (in_air_->cancelled() || Clock::now() >= in_air_->give_up_at()) return give_up_run();
    const std::string what = in_air_->in_words();
    if (in_air_->lose()) {
        spdlog::info("the lab was lost while it ran {} ({}); trying again", what, reason);
        return;
    }
    std::string advice = ending.advice;
    if (advice.empty() && ending.crashed && state_.device()->is_cpu)
        advice = "A kernel that writes or reads beyond its workgroup memory does this on a software driver.";
    end_run(
        Status::lost,
        fmt::format("The lab was lost {} times in a row while it ran {}: {}. It has been started again.{}{}",
                    most_losses, what, reason, advice.empty() ? "" : " ", advice));
}

void ClientThread::lose_start(const std::string& reason) {
    if (++setbacks_.failed_starts < most_losses) return;
    give_up_device(
        fmt::format("The lab, which does the computing, was started {} times and ended each time before it "
                    "had a device: {}. \"gridstride doctor\" tells more.",
                    setbacks_.failed_starts, reason));
}

}  // namespace gridstride::lab

#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <new>
#include <thread>

#include "base/error.h"
#include "base/log.h"
#include "gpu/device.h"
#include "lab/begin_report.h"
#include "lab/client.h"
#include "lab/hello.h"
#include "lab/lab_process.h"
#include "lab/messages.h"
#include "lab/run_in_air.h"
#include "lab/wake_up.h"

namespace gridstride::lab {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A lab that is told to end closes its device, which takes some milliseconds.
constexpr milliseconds grace_at_the_end{500};
/// Opening a device can compile a driver's own kernels.
constexpr std::chrono::seconds longest_start{60};
/// The client's thread owns the lab process and is the only one that reads it, kills it and starts it again;
/// everyone else leaves wishes under the mutex and rings.
class ProcessClient final : public Client {
 public:
    explicit ProcessClient(LabOptions options) : options_(std::move(options)), thread_([this] { serve(); }) {}

    ~ProcessClient() override {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        wake_up_.ring();
        thread_.join();
    }

    void submit(Request request) override {
        {
            const std::lock_guard lock(mutex_);
            pending_ = std::move(request);
        }
        wake_up_.ring();
    }

    std::optional<Report> poll() override {
        const std::lock_guard lock(mutex_);
        return next_report();
    }

    std::optional<Report> wait(milliseconds patience) override {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, patience, [this] { return !reports_.empty() || no_device_; });
        return next_report();
    }

    void cancel() override {
        {
            const std::lock_guard lock(mutex_);
            if (pending_) {
                Report report = begin_report(*pending_, limits_.value_or(Limits{}));
                report.status = Status::timed_out;
                report.message = stopped_by_person;
                pending_.reset();
                reports_.push_back(std::move(report));
            }
            cancel_wanted_ = running_;
        }
        changed_.notify_all();
        wake_up_.ring();
    }

    bool busy() const override {
        const std::lock_guard lock(mutex_);
        return !reports_.empty() || (!no_device_ && (pending_ || running_));
    }

    std::optional<Progress> progress() const override {
        const std::lock_guard lock(mutex_);
        return progress_;
    }

    const Limits& limits() override {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return limits_ || no_device_; });
        throw_if_no_device();
        return *limits_;
    }

    const Limits* limits_if_ready() override {
        const std::lock_guard lock(mutex_);
        throw_if_no_device();
        return limits_ ? &*limits_ : nullptr;
    }

 private:
    // Under the mutex.
    void throw_if_no_device() const {
        if (no_device_) std::rethrow_exception(no_device_);
    }
    std::optional<Report> next_report() {
        if (reports_.empty()) {
            throw_if_no_device();
            return std::nullopt;
        }
        Report report = std::move(reports_.front());
        reports_.pop_front();
        return report;
    }

    // On the client's thread.
    void serve();
    bool worth_starting() const;
    void start();
    void attend();
    void run_out_of_patience();
    void grant_wishes();
    bool grant_wish();
    void cancel_run();
    void send_request();
    void take_message();
    void take_report(Report report);
    void end_lab();
    void lose(const std::string& why);
    void end_run(Status status, const std::string& message);
    void give_up_device(const std::string& why);
    void news();
    milliseconds time_to_wait() const;

    LabOptions options_;
    WakeUp wake_up_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Request> pending_;
    std::deque<Report> reports_;
    std::optional<Limits> limits_;  ///< of the first lab; a lab started again opens the same device
    std::optional<Progress> progress_;
    std::exception_ptr no_device_;
    bool running_ = false;
    bool cancel_wanted_ = false;
    bool stopping_ = false;

    // The client's thread's own.
    std::optional<LabProcess> lab_;
    bool ready_ = false;    ///< the lab has said which device it has
    bool leaving_ = false;  ///< it ends after the next final report
    Clock::time_point started_at_;
    int failed_starts_ = 0;
    int idle_losses_ = 0;  ///< in a row, while nothing ran
    std::optional<RunInAir> in_air_;

    std::thread thread_;  // last: it uses all of the above
};

/// A report whose arrays could not be taken.
Report without_arrays(const Report& report) {
    return without_results(report,
                           "The results of the run cannot be taken over: no file descriptor is left in this "
                           "program. Close other programs, or raise the limit (ulimit -n).");
}

void ProcessClient::news() {
    changed_.notify_all();
    if (options_.on_change) options_.on_change();
}

void ProcessClient::give_up_device(const std::string& why) {
    if (in_air_ && limits_) end_run(Status::lost, why);
    {
        const std::lock_guard lock(mutex_);
        no_device_ = std::make_exception_ptr(NoDevice(why));
        running_ = false;
    }
    in_air_.reset();
    lab_.reset();
    news();
}

void ProcessClient::start() {
    ready_ = leaving_ = false;
    started_at_ = Clock::now();
    lab_.emplace(options_.program);
    lab_->channel().send(MessageKind::hello, Hello{options_.device, gpu::validation_enabled()});
}

/// A lab that ends again and again while nothing runs is left alone until there is something to do.
bool ProcessClient::worth_starting() const {
    const std::lock_guard lock(mutex_);
    return idle_losses_ < most_losses || pending_ || in_air_;
}

milliseconds ProcessClient::time_to_wait() const {
    Clock::time_point until = Clock::time_point::max();
    if (lab_ && !ready_) until = started_at_ + longest_start;
    if (in_air_) until = std::min(until, in_air_->give_up_at());
    if (until == Clock::time_point::max()) return milliseconds(-1);
    // Rounded up: a poll that ends a little early would spin.
    return std::max(milliseconds(0), std::chrono::ceil<milliseconds>(until - Clock::now()));
}

void ProcessClient::serve() {
    for (;;) {
        {
            const std::lock_guard lock(mutex_);
            if (stopping_) break;
            if (no_device_) return;
        }
        try {
            if (!lab_ && worth_starting()) start();
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

/// Waits for the next thing to happen, and sees to it.
void ProcessClient::attend() {
    // poll() passes over a negative descriptor.
    std::array<pollfd, 2> sources = {
        {{wake_up_.descriptor(), POLLIN, 0}, {lab_ ? lab_->channel().descriptor() : -1, POLLIN, 0}}};
    ::poll(sources.data(), sources.size(), static_cast<int>(time_to_wait().count()));
    if (sources[0].revents != 0) wake_up_.hush();
    if (sources[1].revents != 0)
        take_message();
    else if (time_to_wait() == milliseconds(0))
        run_out_of_patience();
    grant_wishes();
}

void ProcessClient::run_out_of_patience() {
    if (!in_air_ || Clock::now() < in_air_->give_up_at()) return lose("it did not open the device in time");
    if (!in_air_->sent()) return end_run(Status::timed_out, in_air_->why_timed_out());
    if (in_air_->superseded() && !in_air_->cancelled()) return cancel_run();
    lose("it was ended");
}

/// All of them: nobody rings again for what is left.
void ProcessClient::grant_wishes() {
    while (grant_wish()) {
    }
}

/// Whether there may be more to do.
bool ProcessClient::grant_wish() {
    bool cancel = false, newer = false;
    {
        const std::lock_guard lock(mutex_);
        cancel = std::exchange(cancel_wanted_, false);
        if (!in_air_ && pending_ && ready_) {
            in_air_.emplace(std::move(*pending_), options_.deadline_seconds > 0
                                                      ? options_.deadline_seconds
                                                      : default_deadline_seconds(*limits_));
            pending_.reset();
            running_ = true;
        }
        newer = pending_.has_value();
    }
    if (!in_air_) return false;
    if (cancel && !in_air_->cancelled()) {
        cancel_run();
        if (!in_air_) return true;
    }
    if (!in_air_->sent()) {
        if (ready_) send_request();
        return ready_;
    }
    if (newer && !in_air_->superseded()) {
        in_air_->supersede();
        lab_->channel().send(MessageKind::supersede);
    }
    return false;
}

/// Politely at first.
void ProcessClient::cancel_run() {
    in_air_->cancel();
    if (!in_air_->sent()) return end_run(Status::timed_out, in_air_->why_timed_out());
    lab_->channel().send(MessageKind::cancel);
}

void ProcessClient::send_request() {
    try {
        lab_->channel().send(MessageKind::request, in_air_->next_try());
    } catch (const std::length_error& error) {
        end_run(Status::refused, fmt::format("The request is too large: {}.", error.what()));
    } catch (const std::bad_alloc&) {
        end_run(
            Status::failed,
            "The request cannot be sent: there is not enough memory, or no file descriptor is left. Close "
            "other programs.");
    }
}

void ProcessClient::take_message() {
    const Message message = lab_->channel().receive();
    switch (message.kind) {
        case MessageKind::ready: {
            auto limits = decode<Limits>(message);
            {
                const std::lock_guard lock(mutex_);
                // Others hold references to it, and the device is the same.
                if (!limits_) limits_ = std::move(limits);
            }
            ready_ = true;
            failed_starts_ = 0;
            return news();
        }
        case MessageKind::no_device:
            return give_up_device(decode<std::string>(message));
        case MessageKind::leaving:
            leaving_ = true;
            return;
        case MessageKind::report: {
            auto report = decode<Report>(message);
            idle_losses_ = 0;
            if (message.arrays_lost && !report.final) return;  // the final one says it
            take_report(message.arrays_lost ? without_arrays(report) : std::move(report));
            if (leaving_ && !in_air_) end_lab();
            return;
        }
        case MessageKind::progress: {
            const auto progress = decode<Progress>(message);
            if (!in_air_ || progress.request != in_air_->request().id) return;
            {
                const std::lock_guard lock(mutex_);
                progress_ = progress;
            }
            return news();
        }
        default:
            throw wire::Malformed("a message that the client does not take");
    }
}

void ProcessClient::take_report(Report report) {
    if (!in_air_ || report.request != in_air_->request().id)
        throw wire::Malformed("a report that nobody asked for");
    if (report.final && report.status == Status::timed_out) report.message = in_air_->why_timed_out();
    if (report.final)
        in_air_.reset();
    else
        in_air_->keep(report);
    {
        const std::lock_guard lock(mutex_);
        // A stop that was asked for meanwhile was for this run, not for the next.
        if (report.final) running_ = cancel_wanted_ = false;
        progress_.reset();
        reports_.push_back(std::move(report));
    }
    news();
}

/// Without a word: nothing was lost, and the next one starts at once.
void ProcessClient::end_lab() {
    lab_->end(grace_at_the_end);
    lab_.reset();
    ready_ = false;
}

/// A final report in the lab's place.
void ProcessClient::end_run(Status status, const std::string& message) {
    take_report(in_air_->ended(status, message, *limits_));
}

/// The lab is gone, or must go. What it was doing is tried again, or reported.
void ProcessClient::lose(const std::string& why) {
    const std::string how = lab_ ? lab_->end(milliseconds(why.empty() ? 100 : 0)) : "";
    const std::string reason = why.empty() ? how : why;
    lab_.reset();
    {
        const std::lock_guard lock(mutex_);
        progress_.reset();
    }
    if (!std::exchange(ready_, false)) {
        if (++failed_starts_ >= most_losses)
            give_up_device(
                fmt::format("The lab, which does the computing, was started {} times and ended each "
                            "time before it had a device: {}. \"gridstride doctor\" tells more.",
                            failed_starts_, reason));
        return;
    }
    if (!in_air_) {
        ++idle_losses_;
        spdlog::info("the lab ended while nothing ran ({})", reason);
        return;
    }
    if (in_air_->cancelled() || Clock::now() >= in_air_->give_up_at())
        return end_run(Status::timed_out, in_air_->why_timed_out());
    const std::string what = in_air_->in_words();
    if (in_air_->lose()) {
        spdlog::info("the lab was lost while it ran {} ({}); trying again", what, reason);
        return;
    }
    end_run(
        Status::lost,
        fmt::format("The lab was lost {} times in a row while it ran {}: {}. It has been started again. A "
                    "kernel that writes or reads beyond its workgroup memory does this on a software driver.",
                    most_losses, what, reason));
}

}  // namespace

std::unique_ptr<Client> start_lab(LabOptions options) {
    return std::make_unique<ProcessClient>(std::move(options));
}

Report run_to_end(Client& client, Request request, const std::function<bool()>& interrupted,
                  const std::function<void(const Progress&)>& on_progress) {
    const std::uint64_t id = request.id;
    client.submit(std::move(request));
    bool cancelled = false;
    for (;;) {
        if (std::optional<Report> report = client.wait(milliseconds(50)))
            if (report->request == id && report->final) return std::move(*report);
        if (on_progress)
            if (const std::optional<Progress> progress = client.progress()) on_progress(*progress);
        if (!cancelled && interrupted()) {
            client.cancel();
            cancelled = true;
        }
    }
}

}  // namespace gridstride::lab

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "base/log.h"
#include "base/units.h"
#include "gpu/device.h"
#include "lab/begin_report.h"
#include "lab/client.h"
#include "lab/hello.h"
#include "lab/lab_process.h"
#include "lab/messages.h"
#include "lesson/common_parameters.h"

namespace gridstride::lab {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// The lab watches its deadline itself and ends politely where the device lets it; so long after it, it is
/// ended.
constexpr milliseconds grace_after_deadline{250};
constexpr milliseconds grace_after_cancel{150};
/// A run that a newer request waits for ends with its first result. One that has none after so long is given
/// up: nobody waits for it any more, and it may never end.
constexpr milliseconds patience_when_superseded{1000};
/// A lab that is told to end closes its device, which takes some milliseconds.
constexpr milliseconds grace_at_the_end{500};
/// Opening a device can compile a driver's own kernels.
constexpr std::chrono::seconds longest_start{60};
/// After so many losses in a row a request, or the start of a lab, is not tried again.
constexpr int most_losses = 3;

constexpr const char* stopped = "The run was stopped.";

/// Wakes the client's thread.
class WakeUp {
 public:
    WakeUp() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
        if (descriptor_ < 0) throw std::runtime_error("The lab cannot be started: there is no eventfd left.");
    }
    ~WakeUp() { close(descriptor_); }
    WakeUp(const WakeUp&) = delete;
    WakeUp& operator=(const WakeUp&) = delete;

    int descriptor() const { return descriptor_; }
    void ring() const {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t written = write(descriptor_, &one, sizeof one);
    }
    void hush() const {
        std::uint64_t count = 0;
        [[maybe_unused]] const ssize_t got = read(descriptor_, &count, sizeof count);
    }

 private:
    int descriptor_;
};

std::string in_words(const Request& request) {
    std::string text = fmt::format("{} {}", request.lesson, request.variant);
    for (const std::string_view id : {key::elements.id, key::workgroup_size.id, key::workgroup_count.id}) {
        if (!request.values.contains(id)) continue;
        const auto* count = std::get_if<std::uint64_t>(&request.values.at(id));
        if (count) text += fmt::format(", {} {}", id, *count == 0 ? "auto" : std::to_string(*count));
    }
    return text;
}

/// The same whether the lab gave the run up by itself or had to be ended.
std::string past_deadline(const Request& request) {
    return fmt::format(
        "The run did not finish within its deadline of {} s and was ended; the lab is ready for the next "
        "one. It was running {}. Look for a loop that does not end, take fewer elements, or allow more time "
        "with --deadline.",
        format_significant(request.deadline_seconds), in_words(request));
}

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
                report.message = stopped;
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
        return !no_device_ && (pending_ || running_ || !reports_.empty());
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
    static constexpr Clock::time_point not_sent{};

    /// The request that the lab carries out, or is to carry out once it is there again.
    struct InAir {
        Request request;
        Clock::time_point deadline = not_sent;    ///< from the first try on
        Clock::time_point give_up_at = not_sent;  ///< when this try is ended; not_sent: it has not begun
        int losses = 0;
        bool superseded = false;
        bool cancelled = false;
        std::optional<Report> so_far;  ///< its last report that was not final
    };

    // Under the mutex.
    void throw_if_no_device() const {
        if (no_device_) std::rethrow_exception(no_device_);
    }
    std::optional<Report> next_report() {
        throw_if_no_device();
        if (reports_.empty()) return std::nullopt;
        Report report = std::move(reports_.front());
        reports_.pop_front();
        return report;
    }

    // On the client's thread.
    void serve();
    void start();
    void attend();
    void grant_wishes();
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
    std::optional<InAir> in_air_;

    std::thread thread_;  // last: it uses all of the above
};

void ProcessClient::news() {
    changed_.notify_all();
    if (options_.on_change) options_.on_change();
}

void ProcessClient::give_up_device(const std::string& why) {
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

milliseconds ProcessClient::time_to_wait() const {
    const Clock::time_point until = !ready_   ? started_at_ + longest_start
                                    : in_air_ ? in_air_->give_up_at
                                              : Clock::time_point::max();
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
            if (!lab_) start();
            attend();
        } catch (const wire::Malformed& error) {
            lose(fmt::format("it sent what cannot be read ({})", error.what()));
        } catch (const ChannelClosed&) {
            lose({});
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
    std::array<pollfd, 2> sources = {
        {{wake_up_.descriptor(), POLLIN, 0}, {lab_->channel().descriptor(), POLLIN, 0}}};
    ::poll(sources.data(), sources.size(), static_cast<int>(time_to_wait().count()));
    if (sources[0].revents != 0) wake_up_.hush();
    if (sources[1].revents != 0) {
        take_message();
    } else if (time_to_wait() == milliseconds(0)) {
        if (ready_ && in_air_->superseded && !in_air_->cancelled) return cancel_run();
        lose(ready_ ? "it was ended" : "it did not open the device in time");
        return;
    }
    if (ready_) grant_wishes();
}

void ProcessClient::grant_wishes() {
    bool cancel = false, newer = false;
    {
        const std::lock_guard lock(mutex_);
        cancel = std::exchange(cancel_wanted_, false);
        newer = pending_.has_value();
        if (!in_air_ && pending_) {
            in_air_.emplace(InAir{.request = std::move(*pending_)});
            pending_.reset();
            running_ = true;
        } else if (!in_air_) {
            return;
        }
    }
    if (cancel && in_air_->give_up_at == not_sent) return end_run(Status::timed_out, stopped);
    if (in_air_->give_up_at == not_sent) return send_request();
    if (cancel && !in_air_->cancelled) {
        cancel_run();
    } else if (newer && !in_air_->superseded) {
        in_air_->superseded = true;
        in_air_->give_up_at = std::min(in_air_->give_up_at, Clock::now() + patience_when_superseded);
        lab_->channel().send(MessageKind::supersede);
    }
}

/// Politely at first.
void ProcessClient::cancel_run() {
    in_air_->cancelled = true;
    in_air_->give_up_at = Clock::now() + grace_after_cancel;
    lab_->channel().send(MessageKind::cancel);
}

void ProcessClient::send_request() {
    Request& request = in_air_->request;
    if (request.deadline_seconds <= 0) request.deadline_seconds = options_.deadline_seconds;
    if (request.deadline_seconds <= 0) request.deadline_seconds = default_deadline_seconds(*limits_);
    using Seconds = std::chrono::duration<double>;
    const Clock::time_point now = Clock::now();
    // One deadline for all tries.
    if (in_air_->deadline == not_sent)
        in_air_->deadline =
            now + std::chrono::duration_cast<Clock::duration>(Seconds(request.deadline_seconds));
    in_air_->give_up_at = in_air_->deadline + grace_after_deadline;
    Request sent = request;
    sent.deadline_seconds = std::max(0.001, Seconds(in_air_->deadline - now).count());
    try {
        lab_->channel().send(MessageKind::request, sent);
    } catch (const std::length_error& error) {
        end_run(Status::refused, fmt::format("The request is too large: {}.", error.what()));
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
        case MessageKind::report:
            take_report(decode<Report>(message));
            if (leaving_ && !in_air_) end_lab();
            return;
        case MessageKind::progress: {
            const auto progress = decode<Progress>(message);
            if (!in_air_ || progress.request != in_air_->request.id) return;
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
    if (!in_air_ || report.request != in_air_->request.id)
        throw wire::Malformed("a report that nobody asked for");
    if (report.final && report.status == Status::timed_out)
        report.message = in_air_->cancelled ? stopped : past_deadline(in_air_->request);
    if (report.final)
        in_air_.reset();
    else
        in_air_->so_far = report;
    {
        const std::lock_guard lock(mutex_);
        if (report.final) running_ = false;
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
    Report report = in_air_->so_far ? std::move(*in_air_->so_far) : begin_report(in_air_->request, *limits_);
    report.final = true;
    report.status = status;
    report.message = message;
    take_report(std::move(report));
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
        spdlog::info("the lab ended while nothing ran ({}); it is started again", reason);
        return;
    }
    const std::string what = in_words(in_air_->request);
    if (in_air_->cancelled) return end_run(Status::timed_out, stopped);
    if (Clock::now() >= in_air_->give_up_at)
        return end_run(Status::timed_out, past_deadline(in_air_->request));
    if (++in_air_->losses < most_losses) {
        spdlog::info("the lab was lost while it ran {} ({}); trying again", what, reason);
        in_air_->give_up_at = not_sent;
        in_air_->superseded = false;
        in_air_->so_far.reset();
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

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "lab/client.h"
#include "lab/control.h"
#include "lab/runner.h"

namespace gridstride::lab {

namespace {

/// Below the window's own threads, so that drawing goes first where cores are few.
constexpr int lab_niceness = 10;

class ThreadClient final : public Client {
 public:
    ThreadClient(std::string device, std::function<void()> on_report)
        : device_(std::move(device)), on_report_(std::move(on_report)), thread_([this] { work(); }) {}

    ~ThreadClient() override {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
            pending_.reset();
            if (running_) running_->cancelled = true;
        }
        changed_.notify_all();
        thread_.join();
    }

    void submit(Request request) override {
        {
            const std::lock_guard lock(mutex_);
            pending_ = std::move(request);
            if (running_) running_->superseded = true;
        }
        changed_.notify_all();
    }

    std::optional<Report> poll() override {
        const std::lock_guard lock(mutex_);
        throw_if_no_device();
        if (reports_.empty()) return std::nullopt;
        Report report = std::move(reports_.front());
        reports_.pop_front();
        return report;
    }

    std::optional<Report> wait(std::chrono::milliseconds patience) override {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, patience, [this] { return !reports_.empty() || no_device_; });
        throw_if_no_device();
        if (reports_.empty()) return std::nullopt;
        Report report = std::move(reports_.front());
        reports_.pop_front();
        return report;
    }

    void cancel() override {
        const std::lock_guard lock(mutex_);
        pending_.reset();
        if (running_) running_->cancelled = true;
    }

    bool busy() const override {
        const std::lock_guard lock(mutex_);
        return !no_device_ && (pending_ || running_ || !reports_.empty());
    }

    const Limits& limits() override {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return runner_ || no_device_; });
        throw_if_no_device();
        return runner_->limits();
    }

    const Limits* limits_if_ready() override {
        const std::lock_guard lock(mutex_);
        throw_if_no_device();
        return runner_ ? &runner_->limits() : nullptr;
    }

 private:
    void throw_if_no_device() const {
        if (no_device_) std::rethrow_exception(no_device_);
    }

    void push(Report report) {
        {
            const std::lock_guard lock(mutex_);
            reports_.push_back(std::move(report));
        }
        changed_.notify_all();
        if (on_report_) on_report_();
    }

    void work() {
        // Linux sets priorities by thread; other threads of the process keep theirs.
        setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), lab_niceness);
        try {
            auto runner = std::make_unique<Runner>(device_);
            const std::lock_guard lock(mutex_);
            runner_ = std::move(runner);
        } catch (const std::exception&) {
            const std::lock_guard lock(mutex_);
            no_device_ = std::current_exception();
        }
        changed_.notify_all();
        if (on_report_) on_report_();
        if (no_device_) return;

        for (;;) {
            Control control;
            Request request;
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [this] { return stopping_ || pending_; });
                if (stopping_) return;
                request = std::move(*pending_);
                pending_.reset();
                control.deadline = std::chrono::steady_clock::now() +
                                   std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                       std::chrono::duration<double>(request.deadline_seconds));
                running_ = &control;
            }
            runner_->run(request, control, [this](Report report) { push(std::move(report)); });
            const std::lock_guard lock(mutex_);
            running_ = nullptr;
        }
    }

    std::string device_;
    std::function<void()> on_report_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Request> pending_;
    Control* running_ = nullptr;
    std::deque<Report> reports_;
    std::unique_ptr<Runner> runner_;
    std::exception_ptr no_device_;
    bool stopping_ = false;
    std::thread thread_;  // last: it uses all of the above
};

}  // namespace

std::unique_ptr<Client> start_lab(std::string device, std::function<void()> on_report) {
    return std::make_unique<ThreadClient>(std::move(device), std::move(on_report));
}

Report run_to_end(Client& client, Request request, const std::function<bool()>& interrupted) {
    const std::uint64_t id = request.id;
    client.submit(std::move(request));
    bool cancelled = false;
    for (;;) {
        if (std::optional<Report> report = client.wait(std::chrono::milliseconds(50)))
            if (report->request == id && report->final) return std::move(*report);
        if (!cancelled && interrupted()) {
            client.cancel();
            cancelled = true;
        }
    }
}

}  // namespace gridstride::lab

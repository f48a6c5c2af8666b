#include "base/file_worker.h"

#include <atomic>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

namespace gridstride {

namespace {

std::atomic<int> running_threads = 0;

/// Runs the action and returns its error message, or an empty string.
std::string run_and_catch(const std::function<void()>& action) {
    try {
        action();
    } catch (const Cancelled&) {
        // The caller that cancelled needs no message.
    } catch (const std::bad_alloc&) {
        return "There is not enough free memory. Close other programs, or choose a smaller file.";
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

}  // namespace

struct FileWorker::State {
    FileProgress progress;
    std::mutex mutex;  ///< guards the members below
    std::function<void()> wake;
    bool has_ended = false;
    Completion completion;
    std::string problem;

    void finish_with(Completion next, std::string message) {
        const std::lock_guard lock(mutex);
        completion = std::move(next);
        problem = std::move(message);
        has_ended = true;
        if (wake) wake();
    }
};

void FileWorker::start(Task work) {
    cancel();
    state_ = std::make_shared<State>();
    state_->wake = wake;
    auto run = [state = state_, work = std::move(work)]() mutable {
        Completion completion;
        std::string problem = run_and_catch([&] { completion = work(state->progress); });
        work = nullptr;
        state->finish_with(std::move(completion), std::move(problem));
    };
    try {
        start_file_thread(std::move(run));
    } catch (const std::system_error&) {
        state_->finish_with({},
                            "The system cannot start another thread. Close other programs and try again.");
    }
}

const FileProgress* FileWorker::progress() const {
    return state_ ? &state_->progress : nullptr;
}

void FileWorker::cancel() {
    if (!state_) return;
    {
        const std::lock_guard lock(state_->mutex);
        state_->wake = nullptr;
    }
    state_->progress.is_cancelled = true;
    state_.reset();
}

std::optional<std::string> FileWorker::take() {
    if (!state_) return std::nullopt;
    Completion completion;
    std::string problem;
    {
        const std::lock_guard lock(state_->mutex);
        if (!state_->has_ended) return std::nullopt;
        completion = std::move(state_->completion);
        problem = std::move(state_->problem);
    }
    state_.reset();
    if (completion) problem = run_and_catch(completion);
    return problem;
}

void start_file_thread(std::function<void()> work) {
    ++running_threads;
    try {
        // Not std::async: its future blocks in the destructor.
        std::thread([work = std::move(work)]() mutable {
            work();
            // Destroys the captures, also a cancelled result, before this thread counts as ended.
            work = nullptr;
            --running_threads;
        }).detach();
    } catch (...) {
        --running_threads;
        throw;
    }
}

bool wait_for_file_threads(std::chrono::milliseconds timeout) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (running_threads > 0 && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return running_threads == 0;
}

}  // namespace gridstride
